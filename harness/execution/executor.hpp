#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/core/files.hpp"
#include "harness/core/job.hpp"
#include "harness/core/outcome.hpp"

namespace brink {

/// A trial that is over. `outcome` is what outcome.json says (of this attempt), or Ending::lost made by the
/// executor when the lock is free and there is no outcome of this attempt; its remnants have been killed by
/// then.
struct Completion {
  std::string trial;
  Outcome outcome;
};

/// Where jobs run.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Starts the job. `lock` is the open, flock'ed trials/ID/lock; the supervisor inherits it and the executor
  /// closes its own copy. job.json is already in job.folder. Throws an infrastructure Error when nothing
  /// could be started.
  virtual void submit(const Job& job, Descriptor lock) = 0;
  /// Takes over a trial that an earlier runner started; its folder holds job.json and perhaps an outcome
  /// already.
  virtual void adopt(const Job& job) = 0;
  /// The next trial that is over, waiting at most until `deadline` (steady clock); nullopt when none was by
  /// then, or when `interrupted` says so. Returns at once when nothing runs.
  virtual std::optional<Completion> next(std::chrono::steady_clock::time_point deadline) = 0;
  /// Ends the trial's tree (TERM, grace, KILL); its completion still comes, with Ending::cancelled.
  virtual void cancel(const std::string& trial) = 0;
  /// Lets everything run on without us.
  virtual void detach() = 0;
  virtual int running() const = 0;
};

}  // namespace brink
