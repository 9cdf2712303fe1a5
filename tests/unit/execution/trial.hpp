#pragma once

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/files.hpp"
#include "harness/execution/local.hpp"

namespace brink::test {

using namespace std::chrono_literals;

/// A folder of the test's own, removed with it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "brink-execution.XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

/// One stage that runs a shell script.
inline Job shell(const std::filesystem::path& folder, const std::string& script,
                 const std::string& trial = "1") {
  Job job;
  job.trial = trial;
  job.attempt = "attempt" + trial;
  job.folder = folder / trial;
  job.settle = 100ms;
  JobStage stage;
  stage.name = "run";
  stage.argv = {"sh", "-c", script};
  stage.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  stage.directory = folder;
  stage.limits.wall = 60s;
  stage.limits.grace = 300ms;
  job.stages = {stage};
  return job;
}

inline Descriptor prepare(const Job& job) {
  make_folder(job.folder, 0700);
  Descriptor lock = try_lock(job.folder / "lock");
  write_file(job.folder / "job.json", job_to_json(job));
  return lock;
}

inline std::unique_ptr<Executor> executor(int slots = 1) {
  return make_local_executor(BRINK_SUPERVISE, slots, -1);
}

/// The next completion, or a failed outcome called "nothing came" after a minute.
inline Outcome next(Executor& executor) {
  const auto completion = executor.next(std::chrono::steady_clock::now() + 60s);
  if (completion) return completion->outcome;
  Outcome none;
  none.ending = Ending::infrastructure;
  none.infrastructure = "nothing came";
  return none;
}

inline Outcome run(const Job& job) {
  const auto local = executor();
  local->submit(job, prepare(job));
  return next(*local);
}

inline std::string log_of(const Job& job) { return read_file_if_there(job.folder / "log").value_or(""); }

/// Processes whose command line holds `mark`, ourselves not counted.
inline std::vector<pid_t> processes_with(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::atoi(name.c_str());
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::ostringstream command;
    command << file.rdbuf();  // unlike an iterator, not thrown out by a process that ends meanwhile
    if (pid != ::getpid() && command.str().find(mark) != std::string::npos) found.push_back(pid);
  }
  return found;
}

template <typename Condition>
bool within(std::chrono::milliseconds time, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

}  // namespace brink::test
