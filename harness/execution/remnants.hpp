#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/job.hpp"

namespace brink {

/// The variable of every stage's environment that tells its processes from all others. Its value is the
/// attempt.
inline constexpr const char* kTrialVariable = "BRINK_TRIAL";

/// supervisor.json: who supervises an attempt, and how to find what it may leave if it is killed.
struct SupervisorRecord {
  std::string attempt;
  int pid = 0;
  std::uint64_t start_time = 0;  ///< with the pid, one process
  std::string boot;              ///< boot id: pids and start times of another boot mean nothing
  std::vector<std::string> cgroups;
};

/// Written before the first stage starts; not synced, since after a power loss there is nobody to find.
void write_supervisor_record(const Job& job);
/// nullopt when there is none of this attempt.
std::optional<SupervisorRecord> read_supervisor_record(const std::filesystem::path& folder,
                                                       const std::string& attempt);
/// The name of the control group of a stage.
std::string cgroup_name(const Job& job, std::size_t stage);

/// A descriptor of the recorded supervisor's process if that very process lives; else -1. The caller closes
/// it.
int open_supervisor(const SupervisorRecord& record);

/// Kills and removes what a dead supervisor left: its containers and control groups by their recorded names,
/// then every process whose environment names the attempt. False when something could not be killed.
bool kill_remnants(const Job& job);

}  // namespace brink
