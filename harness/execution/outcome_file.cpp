#include "harness/execution/outcome_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace brink {
namespace {

constexpr off_t kReservedBytes = 64 << 10;
constexpr const char* kUnfinished = "outcome.json.new";

}  // namespace

OutcomeFile::OutcomeFile(const std::filesystem::path& folder) : folder_(folder) {
  ::unlink((folder_ / "outcome.json").c_str());
  file_ = Descriptor(::open((folder_ / kUnfinished).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  allocated_ = file_ && ::posix_fallocate(file_.get(), 0, kReservedBytes) == 0;
}

bool OutcomeFile::commit(std::string_view json) {
  if (!file_) return false;
  std::size_t done = 0;
  while (done < json.size()) {
    const ssize_t wrote =
        ::pwrite(file_.get(), json.data() + done, json.size() - done, static_cast<off_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return ::ftruncate(file_.get(), static_cast<off_t>(json.size())) == 0 && ::fsync(file_.get()) == 0 &&
         ::rename((folder_ / kUnfinished).c_str(), (folder_ / "outcome.json").c_str()) == 0;
}

}  // namespace brink
