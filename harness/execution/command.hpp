#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace brink {

/// What a short command gave.
struct CommandResult {
  int error = 0;       ///< errno when it could not be started
  int exit_code = -1;  ///< 128 + signal when it was killed
  bool timed_out = false;
  std::string output;  ///< stdout and stderr, at most 1 MiB
  bool ok() const { return error == 0 && !timed_out && exit_code == 0; }
};

/// Runs a command of ours (an engine's client, an identity command) to its end or to the deadline, when its
/// process group is killed. The environment is complete.
CommandResult run_command(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          const std::filesystem::path& directory, std::chrono::milliseconds deadline);

}  // namespace brink
