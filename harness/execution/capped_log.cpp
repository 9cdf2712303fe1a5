#include "harness/execution/capped_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace brink {
namespace {

constexpr std::uint64_t kRecentBytes = std::uint64_t{192} << 10;
constexpr std::uint64_t kAroundBytes = std::uint64_t{64}
                                       << 10;  ///< a line may be longer than any log should be
constexpr int kAroundLines = 20;
constexpr std::size_t kMostSnippets = 10'000;

/// Bytes written before a failure; `error` is set by one.
std::uint64_t write_all(int fd, std::string_view bytes, int& error) {
  std::uint64_t written = 0;
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      error = done < 0 ? errno : ENOSPC;
      break;
    }
    written += static_cast<std::uint64_t>(done);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return written;
}

/// A file without a name: a supervisor that is killed leaves nothing behind.
Descriptor nameless_file(const std::filesystem::path& beside, int& error) {
  const std::filesystem::path name = beside.string() + ".tail";
  Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) error = errno;
  ::unlink(name.c_str());
  return file;
}

}  // namespace

CappedLog::CappedLog(const std::filesystem::path& file, std::uint64_t cap_bytes)
    : file_(file), head_cap_(cap_bytes * 3 / 8), kept_cap_(cap_bytes / 8), segment_cap_(cap_bytes / 4) {
  main_ = Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!main_) error_ = errno;
}

void CappedLog::append(std::string_view bytes) {
  const std::uint64_t begin = stream_;
  stream_ += bytes.size();
  recent_.append(bytes);
  if (recent_.size() > 2 * kRecentBytes) recent_.erase(0, recent_.size() - kRecentBytes);
  if (begin < head_cap_) {
    const auto head = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), head_cap_ - begin));
    write_main(bytes.substr(0, head));
    kept_end_ = begin + head;
    bytes.remove_prefix(head);
  }
  if (bytes.empty()) return;
  write_tail(bytes);
  if (kept_end_ == stream_ - bytes.size()) follow(bytes);
}

void CappedLog::keep(std::uint64_t begin, std::uint64_t end, std::size_t pattern) {
  if (stream_ <= head_cap_) return;
  std::uint64_t& spent = spent_[pattern];
  if (kept_bytes_ >= kept_cap_ || spent >= kept_cap_ / 4 || snippets_.size() >= kMostSnippets) return;
  current_pattern_ = pattern;
  const std::uint64_t from = std::max(context_begin(begin), kept_end_);
  if (from > kept_end_) {
    const std::uint64_t mark = main_bytes_;
    write_mark(from - kept_end_);
    snippets_.push_back({from, mark, main_bytes_, from - kept_end_});
    kept_end_ = from;
  } else if (snippets_.empty()) {
    snippets_.push_back({from, main_bytes_, main_bytes_, 0});
  }
  lines_to_follow_ = kAroundLines + 1;  // the line itself ends with the first
  bytes_to_follow_ = kAroundBytes + (end > kept_end_ ? end - kept_end_ : 0);
  const std::uint64_t recent_begin = stream_ - recent_.size();
  if (kept_end_ < recent_begin || kept_end_ >= stream_) return;
  const std::string_view available =
      std::string_view(recent_).substr(static_cast<std::size_t>(kept_end_ - recent_begin));
  const auto sure = static_cast<std::size_t>(
      std::min<std::uint64_t>(end > kept_end_ ? end - kept_end_ : 0, available.size()));
  const std::size_t before = std::min(sure, available.size());
  write_main(available.substr(0, before));
  kept_bytes_ += before;
  spent += before;
  kept_end_ += before;
  follow(available.substr(before));
}

/// Copies what comes after a kept line, until twenty lines or the byte bound are full.
void CappedLog::follow(std::string_view bytes) {
  if (lines_to_follow_ == 0 || bytes.empty()) return;
  std::size_t length = 0;
  while (length < bytes.size() && lines_to_follow_ > 0 && bytes_to_follow_ > 0) {
    if (bytes[length] == '\n') --lines_to_follow_;
    ++length;
    --bytes_to_follow_;
  }
  if (bytes_to_follow_ == 0) lines_to_follow_ = 0;
  write_main(bytes.substr(0, length));
  kept_bytes_ += length;
  spent_[current_pattern_] += length;
  kept_end_ += length;
}

/// The start of the twentieth line before `begin`, as far as the recent bytes reach.
std::uint64_t CappedLog::context_begin(std::uint64_t begin) const {
  const std::uint64_t recent_begin = stream_ - recent_.size();
  const std::uint64_t least = std::max(recent_begin, begin > kAroundBytes ? begin - kAroundBytes : 0);
  std::uint64_t position = std::max(begin, least);
  int lines = kAroundLines + 1;
  while (position > least) {
    if (recent_[static_cast<std::size_t>(position - 1 - recent_begin)] == '\n' && --lines == 0) break;
    --position;
  }
  return position;
}

void CappedLog::write_main(std::string_view bytes) {
  const std::uint64_t written = main_ ? write_all(main_.get(), bytes, error_) : 0;
  main_bytes_ += written;
  lost_ += bytes.size() - written;
}

void CappedLog::write_mark(std::uint64_t missing) {
  write_main("\n[brink: " + std::to_string(missing) + " bytes cut here]\n");
}

/// The tail is kept in two nameless files that take turns: between one and two quarters of the cap are there.
void CappedLog::write_tail(std::string_view bytes) {
  if (!new_segment_) new_segment_ = nameless_file(file_, error_);
  while (!bytes.empty() && new_segment_) {
    if (new_bytes_ == segment_cap_) {
      std::swap(old_segment_, new_segment_);
      old_bytes_ = new_bytes_;
      new_bytes_ = 0;
      if (!new_segment_) new_segment_ = nameless_file(file_, error_);
      if (!new_segment_) return;
      if (::ftruncate(new_segment_.get(), 0) != 0 || ::lseek(new_segment_.get(), 0, SEEK_SET) != 0)
        error_ = errno;
    }
    const auto part =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), segment_cap_ - new_bytes_));
    const std::uint64_t written = write_all(new_segment_.get(), bytes.substr(0, part), error_);
    new_bytes_ += written;
    if (written < part) return;
    bytes.remove_prefix(part);
  }
}

/// Forgets what was kept of the stream from `begin` on: the tail repeats it.
void CappedLog::drop_kept_from(std::uint64_t begin) {
  std::uint64_t length = main_bytes_;
  while (!snippets_.empty() && snippets_.back().begin >= begin) {
    length = snippets_.back().mark;
    snippets_.pop_back();
  }
  kept_end_ = snippets_.empty() ? head_cap_ : snippets_.back().begin + (length - snippets_.back().text);
  if (kept_end_ > begin) {
    length -= kept_end_ - begin;
    kept_end_ = begin;
  }
  if (::ftruncate(main_.get(), static_cast<off_t>(length)) != 0 ||
      ::lseek(main_.get(), static_cast<off_t>(length), SEEK_SET) < 0) {
    error_ = errno;
  }
  main_bytes_ = length;
}

void CappedLog::copy_segment(const Descriptor& segment) {
  if (!segment || ::lseek(segment.get(), 0, SEEK_SET) != 0) return;
  std::array<char, 65536> buffer{};
  ssize_t got = 0;
  while ((got = ::read(segment.get(), buffer.data(), buffer.size())) > 0) {
    write_main({buffer.data(), static_cast<std::size_t>(got)});
  }
}

void CappedLog::finish() {
  if (main_ && stream_ > head_cap_) {
    const std::uint64_t tail_begin = stream_ - std::min(stream_ - head_cap_, old_bytes_ + new_bytes_);
    if (kept_end_ > tail_begin) drop_kept_from(tail_begin);
    for (const Snippet& snippet : snippets_) cut_ += snippet.missing;
    if (tail_begin > kept_end_) {
      cut_ += tail_begin - kept_end_;
      write_mark(tail_begin - kept_end_);
    }
    copy_segment(old_segment_);
    copy_segment(new_segment_);
  }
  cut_ = std::min(stream_, cut_ + lost_);
}

}  // namespace brink
