#include "harness/execution/local.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/execution/remnants.hpp"

namespace brink {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLockPoll = 50ms;
constexpr int kSupervisorLock = 3, kSupervisorProgram = 4;  ///< descriptors in the supervisor

/// posix_spawn's settings, destroyed with it.
class Spawning {
 public:
  Spawning(int lock, int program) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, lock, kSupervisorLock);
    ::posix_spawn_file_actions_adddup2(&actions_, program, kSupervisorProgram);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kSupervisorProgram + 1);
    // TERM is blocked from birth: a cancel in the instant before the supervisor listens is kept, not deadly.
    sigset_t term, all;
    ::sigemptyset(&term);
    ::sigaddset(&term, SIGTERM);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &term);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  /// errno of the failure, or 0.
  int start(pid_t& pid, const std::vector<std::string>& arguments) const {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::array<char*, 1> environment{nullptr};
    const std::string program = "/proc/self/fd/" + std::to_string(kSupervisorProgram);
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, argv.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

struct Running {
  Job job;
  Descriptor process;  ///< pidfd of the supervisor; empty when only the lock tells
  bool child = false;  ///< ours to reap
  bool cancelled = false;
};

/// The outcome of this attempt, if it has been told.
std::optional<Outcome> told_outcome(const Job& job) {
  const auto text = read_file_if_there(job.folder / "outcome.json");
  if (!text) return std::nullopt;
  try {
    Outcome outcome = outcome_from_json(*text);
    if (outcome.attempt == job.attempt && outcome.trial == job.trial) return outcome;
  } catch (const Error&) {  // half a file after a power loss: as good as none
  }
  return std::nullopt;
}

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(const std::filesystem::path& supervisor, int wake);
  void submit(const Job& job, Descriptor lock) override;
  void adopt(const Job& job) override;
  std::optional<Completion> next(Clock::time_point deadline) override;
  void cancel(const std::string& trial) override;
  void detach() override { running_.clear(); }
  int running() const override { return static_cast<int>(running_.size()); }

 private:
  bool wait(Clock::time_point deadline) const;
  std::optional<Outcome> outcome_if_over(const Running& running) const;

  Descriptor program_;
  int wake_;
  std::map<std::string, Running> running_;  ///< by trial
};

LocalExecutor::LocalExecutor(const std::filesystem::path& supervisor, int wake)
    : program_(::open(supervisor.c_str(), O_RDONLY | O_CLOEXEC)), wake_(wake) {
  if (!program_ || ::access(supervisor.c_str(), X_OK) != 0) {
    throw infrastructure_error("the supervisor cannot be used: " + std::string(std::strerror(errno)),
                               supervisor.string(), "install brink-supervise beside brink");
  }
  // Low numbers are the supervisor's own; keep ours out of their way.
  program_ = Descriptor(::fcntl(program_.get(), F_DUPFD_CLOEXEC, 10));
}

void LocalExecutor::submit(const Job& job, Descriptor lock) {
  // dup2 onto the same number would leave close-on-exec set in older libraries, so move it away first.
  const Descriptor high(::fcntl(lock.get(), F_DUPFD_CLOEXEC, 10));
  if (!high) throw infrastructure_error("no lock for trial " + job.trial + ": " + std::strerror(errno));
  const Spawning spawning(high.get(), program_.get());
  pid_t pid = -1;
  const int error = spawning.start(pid, {"brink-supervise", (job.folder / "job.json").string(), "--lock-fd",
                                         std::to_string(kSupervisorLock)});
  if (error != 0)
    throw infrastructure_error(std::string("brink-supervise cannot be started: ") + std::strerror(error));
  Running running{job, Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))), true, false};
  running_.insert_or_assign(job.trial, std::move(running));
}

void LocalExecutor::adopt(const Job& job) {
  Running running{job, Descriptor(), false, false};
  if (const auto record = read_supervisor_record(job.folder, job.attempt))
    running.process = Descriptor(open_supervisor(*record));
  running_.insert_or_assign(job.trial, std::move(running));
}

/// What became of a trial, or nullopt while its supervisor lives. The lock is looked at first: a supervisor
/// tells its outcome before it lets go, so a free lock and no outcome means lost.
std::optional<Outcome> LocalExecutor::outcome_if_over(const Running& running) const {
  if (!running.child) {
    if (auto outcome = told_outcome(running.job)) return outcome;
  }
  if (is_locked(running.job.folder / "lock")) return std::nullopt;
  if (auto outcome = told_outcome(running.job)) return outcome;
  const bool clear = kill_remnants(running.job);
  Outcome lost;
  lost.trial = running.job.trial;
  lost.attempt = running.job.attempt;
  lost.ending = running.cancelled ? Ending::cancelled : Ending::lost;
  lost.message = clear ? "its supervisor ended without an outcome"
                       : "its supervisor ended without an outcome, and something of it still lives";
  lost.started_ms = lost.ended_ms = epoch_ms();
  return lost;
}

std::optional<Completion> LocalExecutor::next(Clock::time_point deadline) {
  while (!running_.empty()) {
    for (auto entry = running_.begin(); entry != running_.end(); ++entry) {
      Running& running = entry->second;
      if (running.process) {
        pollfd ended{running.process.get(), POLLIN, 0};
        if (running.child && ::poll(&ended, 1, 0) <= 0) continue;
      }
      auto outcome = outcome_if_over(running);
      if (!outcome) continue;
      if (running.child && running.process) {
        siginfo_t status{};
        ::waitid(P_PIDFD, static_cast<id_t>(running.process.get()), &status, WEXITED);
      }
      Completion completion{entry->first, std::move(*outcome)};
      running_.erase(entry);
      return completion;
    }
    if (!wait(deadline)) return std::nullopt;
  }
  return std::nullopt;
}

/// Until something may have ended; false at the deadline or when woken.
bool LocalExecutor::wait(Clock::time_point deadline) const {
  std::vector<pollfd> waits{{wake_, POLLIN, 0}};
  bool by_lock = false;
  for (const auto& [trial, running] : running_) {
    if (running.process) waits.push_back({running.process.get(), POLLIN, 0});
    if (!running.process) by_lock = true;
  }
  const auto now = Clock::now();
  if (now >= deadline) return false;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
  if (by_lock) left = std::min(left, std::chrono::milliseconds(kLockPoll));
  left = std::min(left, std::chrono::milliseconds(1h));
  const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(left.count()));
  return ready <= 0 || waits.front().revents == 0;
}

void LocalExecutor::cancel(const std::string& trial) {
  const auto entry = running_.find(trial);
  if (entry == running_.end()) return;
  entry->second.cancelled = true;
  if (entry->second.process &&
      ::syscall(SYS_pidfd_send_signal, entry->second.process.get(), SIGTERM, nullptr, 0) == 0) {
    return;
  }
  const Descriptor file(
      ::open((entry->second.job.folder / "cancel").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

}  // namespace

std::unique_ptr<Executor> make_local_executor(const std::filesystem::path& supervisor, int slots, int wake) {
  (void)slots;
  return std::make_unique<LocalExecutor>(supervisor, wake);
}

}  // namespace brink
