#include "harness/execution/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "harness/core/files.hpp"

namespace brink {
namespace {

std::vector<pid_t> all_pids() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return pids;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    pids.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  }
  return pids;
}

/// Bytes of a small file of /proc; "" when it is gone or not ours to read.
std::string proc_bytes(pid_t pid, const char* name, std::size_t limit) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", pid, name);
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  std::array<char, 4096> buffer{};
  while (file && bytes.size() < limit) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

}  // namespace

std::optional<ProcessEntry> process_entry(pid_t pid) {
  const std::string line = proc_bytes(pid, "stat", 4096);
  // The name in brackets may hold blanks and brackets of its own: the fields begin after the last one.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessEntry entry;
  entry.pid = pid;
  std::uint64_t resident_pages = 0;
  const int read = std::sscanf(line.c_str() + name_end + 1,
                               " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
                               "%" SCNu64 " %*u %" SCNu64,
                               &entry.state, &entry.parent, &entry.group, &entry.start_time, &resident_pages);
  if (read != 5) return std::nullopt;
  entry.resident_bytes = resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return entry;
}

std::vector<ProcessEntry> descendants_of(pid_t ancestor) {
  std::multimap<pid_t, ProcessEntry> by_parent;
  for (const pid_t pid : all_pids()) {
    if (const auto entry = process_entry(pid)) by_parent.emplace(entry->parent, *entry);
  }
  std::vector<ProcessEntry> found;
  std::vector<pid_t> parents{ancestor};
  std::set<pid_t> seen{ancestor};
  while (!parents.empty()) {
    const auto [first, last] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto child = first; child != last; ++child) {
      if (!seen.insert(child->second.pid).second) continue;
      found.push_back(child->second);
      parents.push_back(child->second.pid);
    }
  }
  return found;
}

std::vector<pid_t> processes_with_variable(const std::string& name, const std::string& value) {
  std::vector<pid_t> found;
  const std::string wanted = '\0' + name + "=" + value + '\0';
  for (const pid_t pid : all_pids()) {
    if (pid == ::getpid()) continue;
    std::string environment;
    environment.push_back('\0');
    environment += proc_bytes(pid, "environ", std::size_t{1} << 20);
    environment.push_back('\0');
    if (environment.find(wanted) != std::string::npos) found.push_back(pid);
  }
  return found;
}

std::vector<std::string> groups_of_processes() {
  std::vector<std::string> groups;
  for (const pid_t pid : all_pids()) groups.push_back(proc_bytes(pid, "cgroup", std::size_t{64} << 10));
  return groups;
}

void signal_descendants(int signal) {
  for (const ProcessEntry& entry : descendants_of(::getpid())) {
    if (entry.state != 'Z') ::kill(entry.pid, signal);
  }
}

}  // namespace brink
