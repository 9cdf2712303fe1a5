#include "harness/execution/cgroup.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

namespace brink {
namespace {

namespace fs = std::filesystem;

bool write_text(const fs::path& file, const std::string& text) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return descriptor &&
         ::write(descriptor.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The value of `word` in a file of "word value" lines.
std::uint64_t field_of(const fs::path& file, const std::string& word) {
  std::istringstream lines(kernel_text(file));
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) {
    if (name == word) return value;
  }
  return 0;
}

/// Our own group's path in the hierarchy whose line of /proc/self/cgroup names `controller` ("" for v2).
std::optional<fs::path> own_group(const std::string& controller) {
  std::istringstream lines(kernel_text("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == "," + controller + ",") return fs::path(line.substr(second + 1)).relative_path();
    if (!controller.empty() && controllers.find("," + controller + ",") != std::string::npos) {
      return fs::path(line.substr(second + 1)).relative_path();
    }
  }
  return std::nullopt;
}

struct Place {
  fs::path parent;
  std::string source;
};

/// Where a group of ours may be made, best first. In v2 a group with processes cannot hand memory to
/// children, so its parent is tried as well: beside us is still below whatever bounds our whole job or
/// session.
std::vector<Place> places() {
  std::vector<Place> found;
  const fs::path root = "/sys/fs/cgroup";
  if (const auto own = own_group(""); own && ::access((root / "cgroup.controllers").c_str(), F_OK) == 0) {
    found.push_back({root / *own, "cgroup-v2"});
    if (!own->empty()) found.push_back({(root / *own).parent_path(), "cgroup-v2"});
  }
  if (const auto own = own_group("memory")) found.push_back({root / "memory" / *own, "cgroup-v1"});
  return found;
}

bool bound_memory(const fs::path& folder, const std::string& source, std::uint64_t bytes) {
  const std::string text = std::to_string(bytes);
  if (source == "cgroup-v2") {
    write_text(folder / "memory.swap.max", "0");  // absent without swap accounting
    return write_text(folder / "memory.max", text);
  }
  write_text(folder / "memory.swappiness", "0");
  return write_text(folder / "memory.limit_in_bytes", text);
}

}  // namespace

std::string kernel_text(const fs::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while (descriptor && (got = ::read(descriptor.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

Cgroup::Cgroup(fs::path folder, std::string source, Descriptor members)
    : folder_(std::move(folder)), source_(std::move(source)), members_(std::move(members)) {}

Cgroup::~Cgroup() {
  if (members_) ::rmdir(folder_.c_str());
}

std::vector<fs::path> Cgroup::candidates(const std::string& name) {
  std::vector<fs::path> folders;
  for (const Place& place : places()) folders.push_back(place.parent / name);
  return folders;
}

std::optional<Cgroup> Cgroup::create(const std::string& name, std::optional<std::uint64_t> memory_bytes) {
  for (const Place& place : places()) {
    const fs::path folder = place.parent / name;
    if (place.source == "cgroup-v2") write_text(place.parent / "cgroup.subtree_control", "+memory");
    if (::mkdir(folder.c_str(), 0755) != 0) continue;
    Descriptor members(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    const char* counter = place.source == "cgroup-v2" ? "memory.max" : "memory.limit_in_bytes";
    const bool usable = members && ::access((folder / counter).c_str(), W_OK) == 0 &&
                        (!memory_bytes || bound_memory(folder, place.source, *memory_bytes));
    if (usable) return Cgroup(folder, place.source, std::move(members));
    ::rmdir(folder.c_str());
  }
  return std::nullopt;
}

std::uint64_t Cgroup::peak_bytes() const {
  return number_in(
      kernel_text(folder_ / (source_ == "cgroup-v2" ? "memory.peak" : "memory.max_usage_in_bytes")));
}

std::uint64_t Cgroup::oom_kills() const {
  return field_of(folder_ / (source_ == "cgroup-v2" ? "memory.events" : "memory.oom_control"), "oom_kill");
}

bool Cgroup::limit_hit() const {
  if (source_ == "cgroup-v2") return field_of(folder_ / "memory.events", "oom") > 0;
  return number_in(kernel_text(folder_ / "memory.failcnt")) > 0;
}

void Cgroup::kill() const {
  if (source_ == "cgroup-v2" && write_text(folder_ / "cgroup.kill", "1")) return;
  std::istringstream pids(kernel_text(folder_ / "cgroup.procs"));
  for (pid_t pid = 0; pids >> pid;) {
    if (pid > 0 && pid != ::getpid()) ::kill(pid, SIGKILL);
  }
}

bool clear_cgroup(const fs::path& folder) {
  using namespace std::chrono_literals;
  for (int attempt = 0; attempt < 500; ++attempt) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY && errno != EEXIST && errno != ENOTEMPTY) return false;
    if (!write_text(folder / "cgroup.kill", "1")) {
      std::istringstream pids(kernel_text(folder / "cgroup.procs"));
      for (pid_t pid = 0; pids >> pid;) {
        if (pid > 0 && pid != ::getpid()) ::kill(pid, SIGKILL);
      }
    }
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

}  // namespace brink
