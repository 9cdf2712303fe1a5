#include "harness/execution/supervise.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "harness/core/files.hpp"
#include "harness/execution/capped_log.hpp"
#include "harness/execution/stage_run.hpp"

namespace brink {
namespace {

constexpr std::size_t kLastBytes = std::size_t{8} << 10;  ///< where a compiler complains of a full disk

/// The first watched file that is not what it was; "" when all are.
std::string changed_input(const Job& job) {
  for (const WatchedFile& watched : job.watched) {
    const FileStamp then{watched.device, watched.inode, watched.size, watched.mtime_ns};
    if (stamp_of(watched.file) != then) return watched.file.string();
  }
  return "";
}

bool disk_is_full(const Job& job, const CappedLog& log) {
  struct statvfs space {};
  if (::statvfs(job.folder.c_str(), &space) == 0 && space.f_bavail * space.f_frsize < job.disk_floor_bytes)
    return true;
  const std::string_view recent = log.recent();
  const std::string_view last = recent.substr(recent.size() - std::min(recent.size(), kLastBytes));
  return last.find("No space left on device") != std::string_view::npos;
}

void set_infrastructure(Outcome& outcome, std::string failure_class, std::string message) {
  outcome.ending = Ending::infrastructure;
  outcome.infrastructure = std::move(failure_class);
  outcome.message = std::move(message);
}

void add_stage(Outcome& outcome, StageResult result) {
  outcome.ending = result.outcome.ending;
  outcome.infrastructure = std::move(result.infrastructure);
  outcome.message = std::move(result.message);
  outcome.cpu_s += result.outcome.cpu_s;
  outcome.peak_memory_bytes = std::max(outcome.peak_memory_bytes, result.outcome.peak_memory_bytes);
  for (std::string& limit : result.enforced) {
    if (std::find(outcome.enforced.begin(), outcome.enforced.end(), limit) == outcome.enforced.end()) {
      outcome.enforced.push_back(std::move(limit));
    }
  }
  outcome.stages.push_back(std::move(result.outcome));
}

/// Faults of ours that may hide behind what looks like the compiler's.
void look_behind(const Job& job, const CappedLog& log, bool succeeded, Outcome& outcome) {
  const bool by_will = outcome.ending == Ending::cancelled || outcome.ending == Ending::stopped_early;
  if (log.failed() || (!succeeded && !by_will && disk_is_full(job, log))) {
    set_infrastructure(outcome, "disk-full",
                       "the disk of " + job.folder.string() + " is full; free some space");
  }
  if (const std::string changed = changed_input(job);
      !changed.empty() && outcome.ending != Ending::cancelled) {
    set_infrastructure(outcome, "input-changed", changed + " was changed while the trial used it");
  }
}

}  // namespace

Outcome supervise(const Job& job, int cancelled, bool disk_full) {
  const auto started = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.trial = job.trial;
  outcome.attempt = job.attempt;
  outcome.started_ms = epoch_ms();
  const std::string changed = changed_input(job);
  if (disk_full) {
    set_infrastructure(outcome, "disk-full",
                       "the disk of " + job.folder.string() + " is full; free some space");
  } else if (!changed.empty()) {
    set_infrastructure(outcome, "input-changed", changed + " was changed before the trial began");
  } else {
    CappedLog log(job.folder / "log", job.log_cap_bytes);
    bool succeeded = true;
    for (std::size_t index = 0; index < job.stages.size() && succeeded; ++index) {
      StageResult result = run_stage(job, index, log, cancelled);
      succeeded = result.succeeded;
      add_stage(outcome, std::move(result));
    }
    log.finish();
    outcome.log_bytes = log.bytes();
    outcome.log_cut_bytes = log.cut_bytes();
    look_behind(job, log, succeeded, outcome);
  }
  outcome.ended_ms = epoch_ms();
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return outcome;
}

}  // namespace brink
