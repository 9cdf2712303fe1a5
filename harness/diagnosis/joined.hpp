#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brink {

/// How the lines of a text are put together again: a compiler, a terminal or a logger may have wrapped a
/// message at any column.
enum class Joining {
  lines,   ///< as they are
  blanks,  ///< wrapped between words: each line trimmed, one blank between two
  glued,   ///< wrapped at a fixed column, words or not: newlines dropped, nothing else
};
inline constexpr Joining kJoinings[] = {Joining::lines, Joining::blanks, Joining::glued};

/// A text with its lines joined, and the way back. The original must outlive it.
class Joined {
 public:
  Joined(std::string_view text, Joining joining);
  const std::string& text() const { return text_; }
  /// Where in the original text this position of text() came from.
  std::size_t origin(std::size_t position) const;

 private:
  std::string_view original_;
  Joining joining_;
  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> lines_;  ///< start in text_, start in the original
};

}  // namespace brink
