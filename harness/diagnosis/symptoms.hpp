#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// What any compiler's log tells without rules, line by line: the first lines that look like an error, the
/// last exception of Python, the last lines, warnings worth storing, and whether a stand-in speaks.
class Symptoms {
 public:
  /// The next part of the stripped log, whole lines or pieces of long ones.
  void see(std::string_view fresh);

  /// At most two, different when normalised. The first is the cause, as far as one can tell.
  const std::vector<std::string>& errors() const { return errors_; }
  /// "RecursionError: …": the line that ends the last traceback, with the reason when that stands below it.
  std::string exception() const { return reason_.empty() ? exception_ : exception_ + ' ' + reason_; }
  /// What a crashing program said last of itself: an assertion, the pass that ran.
  const std::string& last_words() const { return last_words_; }
  /// The last lines that are not empty.
  const std::deque<std::string>& tail() const { return tail_; }
  /// Lines around the first error, or the last lines.
  std::string excerpt() const;
  const std::vector<std::string>& notes() const { return notes_; }
  bool stand_in() const { return stand_in_; }

 private:
  void line(std::string_view text);
  void watch_traceback(std::string_view text);
  void watch_error(std::string_view text);

  std::vector<std::string> errors_, notes_;
  std::string exception_, reason_, last_words_, excerpt_;
  std::deque<std::string> tail_;
  bool in_traceback_ = false, after_exception_ = false, stand_in_ = false;
  std::size_t lines_ = 0, excerpt_lines_ = 0;
};

}  // namespace brink
