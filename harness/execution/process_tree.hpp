#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brink {

/// A line of the process table.
struct ProcessEntry {
  pid_t pid = 0, parent = 0, group = 0;
  char state = '?';
  std::uint64_t start_time = 0;  ///< clock ticks since boot; with the pid it names one process
  std::uint64_t resident_bytes = 0;
};

/// nullopt when there is no such process. A zombie has state 'Z'.
std::optional<ProcessEntry> process_entry(pid_t pid);
/// All living and dead descendants of `ancestor`, itself excluded.
std::vector<ProcessEntry> descendants_of(pid_t ancestor);
/// Living processes whose environment has NAME=VALUE.
std::vector<pid_t> processes_with_variable(const std::string& name, const std::string& value);

/// Of every living process, the lines that name its control groups.
std::vector<std::string> groups_of_processes();

/// Sends `signal` to every living descendant of the calling process, in whatever group or session it is.
/// Needs PR_SET_CHILD_SUBREAPER to reach those whose parents have ended.
void signal_descendants(int signal);

}  // namespace brink
