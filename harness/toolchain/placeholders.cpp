#include "harness/toolchain/placeholders.hpp"

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "harness/toolchain/plan.hpp"

namespace brink {

namespace {

/// Names are words; what else stands in braces was meant for a shell or for awk.
bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

void add_literal(std::vector<Piece>& pieces, char c) {
  if (pieces.empty() || pieces.back().is_placeholder) pieces.push_back({false, ""});
  pieces.back().text += c;
}

std::string shown(std::string_view text) { return shorten(for_terminal(text), 60); }

}  // namespace

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      add_literal(pieces, c);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      add_literal(pieces, c);
      ++i;
      continue;
    }
    if (c == '}')
      throw usage_error("\"" + shown(text) + "\" has a } that closes nothing", "", "write }} for a brace");
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos)
      throw usage_error("\"" + shown(text) + "\" has a { that is not closed", "", "write {{ for a brace");
    pieces.push_back({true, std::string(text.substr(i + 1, end - i - 1))});
    i = end;
  }
  return pieces;
}

std::string with_doubled_braces(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '{' || c == '}' ? 2 : 1, c);
  return doubled;
}

std::string unknown_placeholder(const std::string& name, const std::vector<std::string>& known) {
  std::string message = "unknown placeholder {" + shown(name) + "}";
  if (!is_name(name)) return message + "; write {{ and }} for braces";
  if (const std::string nearest = nearest_word(name, known); !nearest.empty())
    return message + "; did you mean {" + nearest + "}?";
  if (known.empty()) return message;
  message += "; known:";
  for (const std::string& candidate : known) message += " {" + candidate + "}";
  return message;
}

std::string fill(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string filled;
  for (const Piece& piece : pieces_of(text)) {
    if (!piece.is_placeholder) {
      filled += piece.text;
      continue;
    }
    const auto value = values.find(piece.text);
    if (value == values.end()) {
      std::vector<std::string> known;
      for (const auto& entry : values) known.push_back(entry.first);
      throw usage_error(unknown_placeholder(piece.text, known));
    }
    filled += value->second;
  }
  return filled;
}

std::vector<std::string> placeholders(const std::string& text) {
  std::vector<std::string> names;
  for (Piece& piece : pieces_of(text))
    if (piece.is_placeholder && std::find(names.begin(), names.end(), piece.text) == names.end())
      names.push_back(std::move(piece.text));
  return names;
}

}  // namespace brink
