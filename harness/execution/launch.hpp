#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "harness/core/job.hpp"

namespace brink {

/// What a stage's process is born with, besides its argument vector and environment.
struct Birth {
  std::filesystem::path program;    ///< resolved argv[0]
  int output = -1;                  ///< becomes stdout and stderr
  std::vector<int> cgroup_members;  ///< cgroup.procs files, open for writing: joined before exec
};

struct Launched {
  pid_t pid = -1;  ///< leader of a process group of its own
  int error = 0;   ///< errno of what failed, exec included; 0 when it runs
};

/// Starts the stage with stdin from /dev/null, signal mask and handlers reset, every other descriptor closed.
/// Never throws for what the program or the kernel refuses: that is `error`.
Launched launch(const JobStage& stage, const Birth& birth);

}  // namespace brink
