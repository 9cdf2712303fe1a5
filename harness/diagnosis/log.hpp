#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace brink {

/// Reads a log from its beginning, plain or zstd, whatever its size. When the given file is not there, its
/// twin is taken: FOLDER/log for log.zst and the reverse; when neither is, the log is empty.
class LogReader {
 public:
  explicit LogReader(const std::filesystem::path& log);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// The next bytes, at most kChunk or so; false at the end. A plain log that has grown since gives more when
  /// asked again; a damaged zstd file ends where it is damaged.
  bool next(std::string& bytes);

  static constexpr std::size_t kChunk = std::size_t{128} << 10;

 private:
  struct Source;
  std::unique_ptr<Source> source_;
};

}  // namespace brink
