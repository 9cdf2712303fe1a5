#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/job.hpp"
#include "harness/execution/engine.hpp"

namespace brink {

/// Why the end of a stage says nothing of its command: our side broke.
struct StageFault {
  std::string infrastructure;  ///< class, as in Outcome
  std::string message;
};

/// The stage could not be started; `error` is the errno of what failed.
StageFault start_fault(const JobStage& stage, int error);
/// Somebody else killed it.
StageFault outside_fault(const JobStage& stage);
/// Tells the engine's own codes (125, 126, 127, 137) from those of the command inside, which may be the same.
/// `exit_code` is the client's, empty when a signal ended it; `log` is the end of what was written. nullopt:
/// the container's exit code is the command's.
std::optional<StageFault> engine_fault(const JobStage& stage, const std::optional<ContainerState>& state,
                                       std::optional<int> exit_code, std::string_view log);

/// The outputs that are not there, or are empty files or folders.
std::vector<std::string> missing_outputs(const JobStage& stage);

}  // namespace brink
