#pragma once

#include <string>
#include <string_view>

#include "harness/core/failure.hpp"
#include "harness/diagnosis/rules.hpp"

namespace brink {

/// The failure that a rule names. `text` is the stripped log from the line on in which the rule's `match`
/// was found; it may be cut anywhere.
Failure named_failure(const Rule& rule, std::string_view text);

/// One line for a terminal: no control characters, at most `bytes`.
std::string safe_line(std::string_view text, std::size_t bytes);
/// Likewise, with its newlines.
std::string safe_lines(std::string_view text, std::size_t bytes);

inline constexpr std::size_t kMaxMessage = 500, kMaxCause = 300, kMaxExcerpt = std::size_t{8} << 10;

}  // namespace brink
