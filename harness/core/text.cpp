#include "harness/core/text.hpp"

#include <fmt/core.h>

#include <cstdint>

namespace brink {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the valid UTF-8 sequence at `at`, and its code point; 0 when there is none.
std::size_t sequence_at(std::string_view bytes, std::size_t at, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) {
    code = first;
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > bytes.size()) return 0;
  code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return length;
}

/// Moves the cursor, changes colours, or turns the reading direction: not for a terminal.
bool is_unsafe(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C ||
         code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_at(bytes, at, code);
    if (length == 0)
      text += kReplacement;
    else
      text.append(bytes, at, length);
    at += length == 0 ? 1 : length;
  }
  return text;
}

std::string for_terminal(std::string_view bytes, bool multiline) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_at(bytes, at, code);
    if (length == 0)
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at]));
    else if (multiline && (code == '\n' || code == '\t'))
      text += static_cast<char>(code);
    else if (is_unsafe(code))
      text += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:04x}}}", code);
    else
      text.append(bytes, at, length);
    at += length == 0 ? 1 : length;
  }
  return text;
}

std::string shorten(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  std::size_t end = bytes < kEllipsis.size() ? 0 : bytes - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string shell_text(const std::vector<std::string>& argv) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  std::vector<std::string> words;
  for (const std::string& argument : argv) {
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      words.push_back(argument);
      continue;
    }
    std::string quoted = "'";
    for (const char c : argument) {
      if (c == '\'')
        quoted += "'\\''";
      else
        quoted += c;
    }
    words.push_back(quoted + "'");
  }
  return join(words, " ");
}

}  // namespace brink
