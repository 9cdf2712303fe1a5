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
  /// Whether a window is full; at the end of the log call it with `last`.
  bool ready(bool last) const { return text_.size() >= kSize || (last && text_.size() > seen_); }
  /// Lets `edit` change what was in no window yet.
  template <typename Edit>
  void edit_fresh(Edit edit) {
    std::string fresh = text_.substr(seen_);
    edit(fresh);
    text_.replace(seen_, std::string::npos, fresh);
  }
  /// The next window; its first seen() bytes were in the one before.
  std::string_view window(bool last);
  std::size_t seen() const { return seen_; }
  /// Forgets the window but for its overlap.
  void advance();

 private:
  std::string text_;
  std::size_t seen_ = 0, end_ = 0;
};

}  // namespace brink
