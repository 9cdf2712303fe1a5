#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/files.hpp"

namespace brink {

/// A trial's log of bounded size, made from a stream of any size in constant memory: its head, its tail, and
/// around every line that keep() names twenty lines more; each cut is marked and counted. Writing never
/// throws: a full disk must not keep the outcome from being told.
class CappedLog {
 public:
  /// Appends to `file`. Up to `cap_bytes` nothing is cut.
  CappedLog(const std::filesystem::path& file, std::uint64_t cap_bytes);

  void append(std::string_view bytes);
  /// Keeps the lines around the stream's bytes [begin, end), which must be among the last 64 KiB appended.
  /// `pattern` tells whose line it is: each pattern has its own share of the room, so that a frequent one
  /// cannot crowd out others.
  void keep(std::uint64_t begin, std::uint64_t end, std::size_t pattern);
  /// Puts the tail after what was kept. Call once, at the end.
  void finish();

  std::uint64_t bytes() const { return stream_; }   ///< of the stream so far
  std::uint64_t cut_bytes() const { return cut_; }  ///< of the stream, not in the log; known after finish()
  bool failed() const { return error_ != 0; }       ///< a write failed: disk full
  std::string_view recent() const {
    return recent_;
  }  ///< the stream's last bytes, at least 64 KiB if there were so many

 private:
  struct Snippet {
    std::uint64_t begin = 0;           ///< in the stream
    std::uint64_t mark = 0, text = 0;  ///< offsets in the log file: of the mark before it, of its first byte
    std::uint64_t missing = 0;         ///< bytes of the stream between this snippet and what is before it
  };

  void write_main(std::string_view bytes);
  void write_tail(std::string_view bytes);
  void write_mark(std::uint64_t missing);
  void follow(std::string_view bytes);
  std::uint64_t context_begin(std::uint64_t begin) const;
  void drop_kept_from(std::uint64_t begin);
  void copy_segment(const Descriptor& segment);

  std::filesystem::path file_;
  std::uint64_t head_cap_, kept_cap_, segment_cap_;
  Descriptor main_, old_segment_, new_segment_;
  std::uint64_t main_bytes_ = 0, old_bytes_ = 0, new_bytes_ = 0;
  std::uint64_t stream_ = 0, cut_ = 0, lost_ = 0;
  std::uint64_t kept_end_ = 0;  ///< where in the stream the main file's copy ends
  std::uint64_t kept_bytes_ = 0;
  std::map<std::size_t, std::uint64_t> spent_;  ///< by pattern
  std::size_t current_pattern_ = 0;
  int lines_to_follow_ = 0;
  std::uint64_t bytes_to_follow_ = 0;
  std::vector<Snippet> snippets_;
  std::string recent_;
  int error_ = 0;
};

}  // namespace brink
