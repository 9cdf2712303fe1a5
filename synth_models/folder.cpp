#include "synth_models/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <string>
#include <system_error>

namespace brink::synth {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

[[noreturn]] void fail(const char* doing, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), std::string(doing) + " " + path.string());
}

void flush_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("opening", folder);
  // Some file systems cannot flush a folder; the rename is atomic all the same.
  ::fsync(fd);
  ::close(fd);
}

/// Makes a folder of a name that nobody has, beside `place`. Not by mkdtemp: its folders are closed to
/// others, and opening them up needs the umask, which cannot be read without changing it.
std::filesystem::path make_beside(const std::filesystem::path& place) {
  std::random_device random;
  for (;;) {
    std::string name(1, '.');
    name.append(place.filename().string()).append(".brink-").append(std::to_string(random()));
    std::filesystem::path path = place.parent_path() / name;
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) fail("creating a folder beside", place);
  }
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail("creating", path_);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) drain();
  if (bytes.size() >= kBufferBytes) return put(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void OutputFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void OutputFile::put(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::drain() {
  put(buffer_);
  buffer_.clear();
}

void OutputFile::finish() {
  drain();
  if (::fsync(fd_) != 0) fail("flushing", path_);
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail("closing", path_);
}

NewFolder::NewFolder(std::filesystem::path place) : place_(std::move(place)) {
  place_ = std::filesystem::absolute(place_).lexically_normal();
  if (!place_.has_filename()) place_ = place_.parent_path();
  if (std::filesystem::is_symlink(place_)) place_ = std::filesystem::canonical(place_);
  path_ = make_beside(place_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (there_) std::filesystem::remove_all(path_, ignored);
}

void NewFolder::commit() {
  flush_folder(path_);
  if (::rename(path_.c_str(), place_.c_str()) != 0) fail("renaming to", place_);
  there_ = false;
  flush_folder(place_.parent_path());
}

void NewFolder::replace() {
  flush_folder(path_);
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) fail("replacing", place_);
    // A file system that cannot exchange: for an instant there is none.
    const std::filesystem::path old = make_beside(place_);
    if (::rename(place_.c_str(), old.c_str()) != 0) fail("moving away", place_);
    if (::rename(path_.c_str(), place_.c_str()) != 0) {
      const int reason = errno;
      std::error_code ignored;
      std::filesystem::rename(old, place_, ignored);
      errno = reason;
      fail("replacing", place_);
    }
    path_ = old;
  }
  // path_ is the old folder now; the destructor removes it.
  flush_folder(place_.parent_path());
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  OutputFile output(file);
  output.write(text);
  output.finish();
}

}  // namespace brink::synth
