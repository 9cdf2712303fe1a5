#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// A stretch of a template: literal text (braces undoubled) or the name of a placeholder.
struct Piece {
  bool is_placeholder = false;
  std::string text;
};

/// Takes a template apart. Throws a usage Error on a brace that is not closed or not opened.
std::vector<Piece> pieces_of(std::string_view text);

/// The inverse of fill for literal text: braces doubled.
std::string with_doubled_braces(std::string_view text);

/// "unknown placeholder {nn}; did you mean {n}?", with `known` as candidates.
std::string unknown_placeholder(const std::string& name, const std::vector<std::string>& known);

}  // namespace brink
