#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace brink {

/// What a trial says for one target: it does not fail, it fails with the target's failure, or it says
/// nothing.
enum class Verdict { good, bad, skip };

std::string_view verdict_text(Verdict verdict);
std::optional<Verdict> parse_verdict(std::string_view text);

/// The failure that counts.
struct Target {
  enum class Kind { any, failure_class, signature, match };
  Kind kind = Kind::any;
  std::string value;  ///< class name, signature hex, or RE2 pattern
  std::string group;  ///< network group, or "" for every group

  bool operator==(const Target&) const = default;
};

/// `any`, `class:NAME`, `signature:HEX`, `match:REGEX`; a bare word is match. Never fails: an empty text is
/// any.
Target parse_target(std::string_view text);
/// Canonical text; parse_target(target_text(t)) is t when the group is empty.
std::string target_text(const Target& target);

}  // namespace brink
