#include "harness/execution/container_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "harness/core/text.hpp"
#include "harness/execution/cgroup.hpp"
#include "harness/execution/process_tree.hpp"

namespace brink {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastIdLength = 12;  ///< what engines print of an id; less could be part of any path

struct Counter {
  fs::path file;
  std::string source;
};

/// `path` up to the component that holds `id`: engines may make groups of their own below it.
fs::path container_group(const fs::path& path, const std::string& id) {
  fs::path group;
  for (const fs::path& part : path.relative_path()) {
    group /= part;
    const std::string name = part.string();
    // conmon watches over the container from a group beside it, whose name holds the id, too.
    if (name.find(id) != std::string::npos && name.find("conmon") == std::string::npos) return group;
  }
  return {};
}

/// The counter of the group that a line "N:CONTROLLERS:PATH" of /proc/PID/cgroup names.
Counter counter_of(const std::string& line, const std::string& id) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const fs::path group = container_group(line.substr(second + 1), id);
  if (group.empty()) return {};
  const fs::path root = "/sys/fs/cgroup";
  const std::array<Counter, 2> choices{{{root / "memory" / group / "memory.max_usage_in_bytes", "cgroup-v1"},
                                        {root / group / "memory.peak", "cgroup-v2"}}};
  const Counter& choice = choices.at(controllers.empty() ? 1 : 0);
  const bool counts = controllers.empty() || ("," + controllers + ",").find(",memory,") != std::string::npos;
  return counts && ::access(choice.file.c_str(), R_OK) == 0 ? choice : Counter{};
}

}  // namespace

ContainerMemory::ContainerMemory(fs::path cidfile) : cidfile_(std::move(cidfile)) {}

void ContainerMemory::find() {
  const std::string id(trim(kernel_text(cidfile_)));
  if (id.size() < kLeastIdLength) return;
  for (const std::string& groups : groups_of_processes()) {
    if (groups.find(id) == std::string::npos) continue;
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {
      Counter counter = counter_of(line, id);
      if (counter.file.empty()) continue;
      counter_ = std::move(counter.file);
      source_ = std::move(counter.source);
      return;
    }
  }
}

void ContainerMemory::look() {
  if (!found()) find();
  if (!found()) return;
  const std::string text = kernel_text(counter_);
  std::uint64_t bytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  peak_bytes_ = std::max(peak_bytes_, bytes);
}

}  // namespace brink
