#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// Where a pattern was seen in a stream.
struct LineHit {
  std::size_t pattern = 0;           ///< index into the patterns
  std::uint64_t begin = 0, end = 0;  ///< of the line (or piece of one), in bytes of the stream
};

/// Searches patterns in the lines of a stream of bytes, whatever they are: escape codes and NULs are taken
/// out, lines longer than 64 KiB are searched in overlapping pieces, and messages that were wrapped over up
/// to three long lines are searched joined. Constant memory.
class LineScanner {
 public:
  /// RE2 patterns; those that are none never match. `joined`: how many of the first are searched over line
  /// ends too.
  LineScanner(const std::vector<std::string>& patterns, std::size_t joined);
  ~LineScanner();
  LineScanner(const LineScanner&) = delete;
  LineScanner& operator=(const LineScanner&) = delete;

  /// `position` is the stream's offset of the first byte; calls must follow each other without a gap.
  std::vector<LineHit> feed(std::string_view bytes, std::uint64_t position);
  /// What is left without an end of line, at the end of the stream or when it has fallen silent. It is
  /// searched again when more comes.
  std::vector<LineHit> pending() const;

 private:
  struct Patterns;
  void scan_region(std::string_view region, std::uint64_t position, std::vector<LineHit>& hits);
  void remember(std::string line);
  bool region_may_match(const std::string& text) const;

  std::unique_ptr<Patterns> patterns_;
  std::string carry_;  ///< raw bytes of a line whose end has not come
  std::uint64_t carry_position_ = 0;
  std::deque<std::string> before_;  ///< the last two lines, cleaned
};

/// Without escape sequences (CSI, OSC, two-byte), NULs and other control characters except tab; valid UTF-8.
std::string plain_line(std::string_view line);

}  // namespace brink
