#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// Watches a log, window by window, for the first of its patterns *in order*, wherever in the log it is, and
/// keeps the text from there on.
class PatternWatch {
 public:
  /// How much text is kept: enough for a message of hundreds of sentences.
  static constexpr std::size_t kKept = std::size_t{64} << 10;

  /// Throws a usage Error when a pattern is not RE2.
  explicit PatternWatch(const std::vector<std::string>& patterns);
  ~PatternWatch();
  PatternWatch(const PatternWatch&) = delete;
  PatternWatch& operator=(const PatternWatch&) = delete;

  /// `fresh` is the part of `window` that was in no window before.
  void see(std::string_view window, std::string_view fresh);
  /// The earliest pattern in order that was found.
  std::optional<std::size_t> found() const { return found_; }
  /// From the line in which found() was found, up to kKept bytes.
  const std::string& text() const { return text_; }

 private:
  struct Patterns;
  std::unique_ptr<Patterns> patterns_;
  std::optional<std::size_t> found_;
  std::string text_;
};

}  // namespace brink
