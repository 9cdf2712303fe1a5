#pragma once

#include <filesystem>
#include <memory>

#include "harness/execution/executor.hpp"

namespace brink {

/// Jobs as supervised processes of this machine. `supervisor` is brink-supervise, opened now, so that a
/// rebuild cannot break a running campaign. `wake` (or -1) is a descriptor that makes next() return when it
/// becomes readable (signals).
std::unique_ptr<Executor> make_local_executor(const std::filesystem::path& supervisor, int slots, int wake);

}  // namespace brink
