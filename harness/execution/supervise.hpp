#pragma once

#include "harness/core/job.hpp"
#include "harness/core/outcome.hpp"

namespace brink {

/// Runs a job's stages in order, until the first that does not succeed, and says what became of it. Writes
/// the log; the caller writes the outcome. `cancelled`: see run_stage. `disk_full`: there was no space for
/// the outcome at the start.
Outcome supervise(const Job& job, int cancelled, bool disk_full);

}  // namespace brink
