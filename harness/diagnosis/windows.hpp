#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace brink {

/// Cuts an endless text into windows that overlap, so that whatever is at most kOverlap long is whole in one
/// of them. Windows begin and end at line borders where lines are short enough.
class Windows {
 public:
  static constexpr std::size_t kSize = std::size_t{256} << 10;
  static constexpr std::size_t kOverlap = std::size_t{16} << 10;

  /// Where stripped text is to be appended.
  std::string& text() { return text_; }
  /// Whether begin() would have something new to show; `last` at the end of the log.
  bool ready(bool last) const { return text_.size() >= kSize || (last && text_.size() > seen_); }
  /// Fixes where the window ends.
  void begin(bool last);
  std::string_view window() const { return std::string_view(text_).substr(0, end_); }
  /// The part of the window that was in none before.
  std::string_view fresh() const { return window().substr(seen_); }
  /// Writes blanks over a part of fresh().
  void blank(std::size_t at, std::size_t size) { text_.replace(seen_ + at, size, size, ' '); }
  /// Forgets the window but for its overlap.
  void advance();

 private:
  std::string text_;
  std::size_t seen_ = 0, end_ = 0;
};

}  // namespace brink
