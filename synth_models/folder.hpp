#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace brink::synth {

/// A file that is being written from front to end, through a small buffer. Every failure (a full disk too)
/// throws std::system_error naming the file.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::uint64_t size() const { return size_; }
  /// Flushes to the disk and closes; without it the file counts as abandoned.
  void finish();

 private:
  void put(std::span<const std::byte> bytes);
  void drain();

  std::filesystem::path path_;
  int fd_;
  std::vector<std::byte> buffer_;
  std::uint64_t size_ = 0;
};

/// A folder that appears whole or not at all: made beside its place under a hidden name, renamed by commit(),
/// removed by the destructor otherwise.
class NewFolder {
 public:
  /// Throws std::system_error when the parent cannot be written.
  explicit NewFolder(std::filesystem::path place);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Takes its place, which must be absent or an empty folder.
  void commit();
  /// Takes the place of a folder that is there, and removes that one.
  void replace();

 private:
  std::filesystem::path place_, path_;
  bool there_ = true;
};

/// A file of known text inside a new folder.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace brink::synth
