#include "harness/core/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.hpp"

namespace brink {

namespace {

Error file_error(const std::string& what, const std::filesystem::path& file, int error) {
  return infrastructure_error(what + ": " + std::strerror(error), file.string());
}

void write_all(int fd, std::string_view bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw file_error("cannot be written", file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// The bytes of an open file.
std::string drain(int fd, const std::filesystem::path& file) {
  std::string bytes;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error("cannot be read", file, errno);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(fd_, -1); }

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string read_file(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw file_error("cannot be read", file, errno);
  return drain(fd.get(), file);
}

std::optional<std::string> read_file_if_there(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return std::nullopt;
  if (!fd) throw file_error("cannot be read", file, errno);
  return drain(fd.get(), file);
}

void write_file(const std::filesystem::path& file, std::string_view bytes, unsigned mode) {
  const std::filesystem::path beside = file.string() + ".new" + std::to_string(::getpid());
  try {
    const Descriptor fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!fd) throw file_error("cannot be written", file, errno);
    write_all(fd.get(), bytes, file);
    if (::fsync(fd.get()) != 0) throw file_error("cannot be written", file, errno);
    if (::rename(beside.c_str(), file.c_str()) != 0) throw file_error("cannot be written", file, errno);
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
}

void make_folder(const std::filesystem::path& folder, unsigned mode) {
  if (::mkdir(folder.c_str(), mode) == 0 || std::filesystem::is_directory(folder)) return;
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    make_folder(folder.parent_path(), mode);
    if (::mkdir(folder.c_str(), mode) == 0 || std::filesystem::is_directory(folder)) return;
  }
  throw file_error("folder cannot be made", folder, errno);
}

Descriptor try_lock(const std::filesystem::path& file) {
  Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) throw file_error("lock cannot be opened", file, errno);
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return Descriptor();
    throw file_error("lock cannot be taken", file, errno);
  }
  return fd;
}

bool is_locked(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  // A shared lock conflicts with the holder's exclusive one and is given back when fd closes.
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::optional<FileStamp> stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::optional<std::filesystem::path> find_program(const std::string& program, const std::string& path_list,
                                                  const std::filesystem::path& directory) {
  const auto runnable = [](const std::filesystem::path& file) {
    return stamp_of(file).has_value() && ::access(file.c_str(), X_OK) == 0;
  };
  if (program.empty()) return std::nullopt;
  if (program.find('/') != std::string::npos) {
    const std::filesystem::path file = directory / program;
    return runnable(file) ? std::optional(file) : std::nullopt;
  }
  for (std::size_t from = 0; from <= path_list.size();) {
    const std::size_t end = std::min(path_list.find(':', from), path_list.size());
    const std::filesystem::path folder = path_list.substr(from, end - from);
    if (const auto file = directory / folder / program; runnable(file)) return file;
    from = end + 1;
  }
  return std::nullopt;
}

std::int64_t epoch_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace brink
