#include "harness/execution/remnants.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/core/files.hpp"
#include "harness/core/text.hpp"
#include "harness/execution/cgroup.hpp"
#include "harness/execution/engine.hpp"
#include "harness/execution/process_tree.hpp"

namespace brink {
namespace {

using namespace std::chrono_literals;

constexpr const char* kFile = "supervisor.json";
constexpr int kPasses = 200;

std::string boot_id() {
  const auto text = read_file_if_there("/proc/sys/kernel/random/boot_id");
  return text ? std::string(trim(*text)) : std::string();
}

/// By rename, so that a reader never sees half; not synced.
void put_in_place(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path beside = file.string() + ".new";
  const Descriptor fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
  ::rename(beside.c_str(), file.c_str());
}

}  // namespace

std::string cgroup_name(const Job& job, std::size_t stage) {
  return "brink-" + job.trial + "-" + job.attempt + "-" + std::to_string(stage);
}

void write_supervisor_record(const Job& job) {
  nlohmann::json json;
  json["attempt"] = job.attempt;
  json["pid"] = ::getpid();
  json["start_time"] = process_entry(::getpid()).value_or(ProcessEntry{}).start_time;
  json["boot"] = boot_id();
  json["cgroups"] = nlohmann::json::array();
  json["containers"] = nlohmann::json::array();
  for (std::size_t stage = 0; stage < job.stages.size(); ++stage) {
    for (const auto& folder : Cgroup::candidates(cgroup_name(job, stage)))
      json["cgroups"].push_back(folder.string());
    if (const auto& container = job.stages[stage].container) json["containers"].push_back(container->name);
  }
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  put_in_place(job.folder / kFile, text);
}

std::optional<SupervisorRecord> read_supervisor_record(const std::filesystem::path& folder,
                                                       const std::string& attempt) {
  const auto text = read_file_if_there(folder / kFile);
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || json.value("attempt", "") != attempt) return std::nullopt;
  SupervisorRecord record;
  try {
    record.attempt = attempt;
    record.pid = json.at("pid").get<int>();
    record.start_time = json.at("start_time").get<std::uint64_t>();
    record.boot = json.at("boot").get<std::string>();
    record.cgroups = json.at("cgroups").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // then nobody is known, and the lock and the environment must tell
  }
  return record;
}

int open_supervisor(const SupervisorRecord& record) {
  if (record.pid <= 0 || record.boot != boot_id()) return -1;
  Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, record.pid, 0)));
  if (!process) return -1;
  // Read after the descriptor was opened: from here on the pid cannot change its meaning under us.
  const auto entry = process_entry(record.pid);
  if (!entry || entry->start_time != record.start_time) return -1;
  return process.release();
}

bool kill_remnants(const Job& job) {
  bool clear = true;
  for (const JobStage& stage : job.stages) {
    if (stage.container && !remove_container(*stage.container)) clear = false;
  }
  const auto record = read_supervisor_record(job.folder, job.attempt);
  if (record && record->boot == boot_id()) {
    for (const std::string& folder : record->cgroups) {
      if (!clear_cgroup(folder)) clear = false;
    }
  }
  // Two empty passes: a process that is forked, or is becoming its program, while the table is read has no
  // environment to be seen yet.
  int empty = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto left = processes_with_variable(kTrialVariable, job.attempt);
    empty = left.empty() ? empty + 1 : 0;
    if (empty == 2) return clear;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

}  // namespace brink
