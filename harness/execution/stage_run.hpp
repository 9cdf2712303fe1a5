#pragma once

#include <string>
#include <vector>

#include "harness/core/job.hpp"
#include "harness/core/outcome.hpp"
#include "harness/execution/capped_log.hpp"

namespace brink {

/// What became of a stage, with what only the whole outcome has room for.
struct StageResult {
  StageOutcome outcome;
  std::string infrastructure, message;  ///< set when outcome.ending is infrastructure
  std::vector<std::string> enforced;
  /// The next stage may run.
  bool succeeded = false;
};

/// Starts a stage of a job, pumps its output into the log, holds it to its limits, and ends its whole tree:
/// when this returns, nothing of the stage is alive. `cancelled` is a descriptor that becomes readable when a
/// person or a runner wants the end (a signalfd for SIGTERM). Only in a process that is a child subreaper.
StageResult run_stage(const Job& job, std::size_t index, CappedLog& log, int cancelled);

}  // namespace brink
