#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace brink {

/// Owns a file descriptor; closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

/// Whole file as bytes. Throws an infrastructure Error naming it.
std::string read_file(const std::filesystem::path& file);
/// nullopt when the file does not exist; throws on any other failure.
std::optional<std::string> read_file_if_there(const std::filesystem::path& file);
/// Write beside, fsync, rename over: the file is the old one or the new one, never half. Throws an
/// infrastructure Error.
void write_file(const std::filesystem::path& file, std::string_view bytes, unsigned mode = 0644);
/// mkdir -p. Throws an infrastructure Error.
void make_folder(const std::filesystem::path& folder, unsigned mode = 0755);

/// Opens (creating, 0600, close-on-exec) and takes an exclusive flock without waiting; an empty Descriptor
/// when somebody else holds it. Throws an infrastructure Error when the file cannot be opened.
Descriptor try_lock(const std::filesystem::path& file);
/// Whether somebody holds the flock of `file` now (a missing file is free). Takes nothing.
bool is_locked(const std::filesystem::path& file);

/// What tells a file from a changed one without reading it (DESIGN 4.13).
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
/// nullopt when there is no such regular file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

/// The first regular executable file called `program` on a PATH-like list; a program with a slash is looked
/// up from `directory`. nullopt when there is none.
std::optional<std::filesystem::path> find_program(const std::string& program, const std::string& path_list,
                                                  const std::filesystem::path& directory);

/// UTC milliseconds since the epoch, for rows; never for durations.
std::int64_t epoch_ms();

}  // namespace brink
