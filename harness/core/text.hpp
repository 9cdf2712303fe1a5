#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// Valid UTF-8: every byte that is not part of a valid sequence becomes U+FFFD. NUL stays.
std::string to_utf8(std::string_view bytes);
/// Safe on a terminal: valid UTF-8, control characters (C0, C1, DEL, bidi overrides) as \xNN or \u{NNNN};
/// newline and tab stay when `multiline`.
std::string for_terminal(std::string_view bytes, bool multiline = false);
/// Cuts to at most `bytes` bytes at a character border, with "…" when cut.
std::string shorten(std::string_view text, std::size_t bytes);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trim(std::string_view text);
/// How a person would type this argument vector into a POSIX shell.
std::string shell_text(const std::vector<std::string>& argv);

}  // namespace brink
