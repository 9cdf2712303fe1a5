#include "harness/execution/stage_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "harness/core/text.hpp"
#include "harness/execution/cgroup.hpp"
#include "harness/execution/engine.hpp"
#include "harness/execution/launch.hpp"
#include "harness/execution/line_scanner.hpp"
#include "harness/execution/process_tree.hpp"
#include "harness/execution/remnants.hpp"

namespace brink {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: a suspended machine's time does not count
using std::chrono::milliseconds;

constexpr auto kTick =
    200ms;  ///< how often the cancel file and the limits without a descriptor are looked at
constexpr auto kSampleTick = 100ms;   ///< how often memory is sampled where no control group counts it
constexpr auto kLongestSettle = 60s;  ///< an endless message is not waited for
constexpr auto kKillPatience =
    60s;  ///< a process in uninterruptible sleep outlives SIGKILL; we do not wait for ever
constexpr int kReadsPerRound = 16;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }
double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

/// The life of one stage.
class StageRun {
 public:
  StageRun(const Job& job, std::size_t index, CappedLog& log, int cancelled);
  StageResult run();

 private:
  bool start();
  void refuse(int error);
  void watch();
  int wait_ms() const;
  bool pump();
  void look_at(const std::vector<LineHit>& hits);
  void check_limits();
  void sample_memory();
  void end(const char* reason);
  void signal_tree(int signal);
  void reap(pid_t pid, int status, const rusage& usage);
  bool reap_children();
  void finish_tree();
  void judge();
  void judge_container();
  bool memory_evidence() const;
  void check_outputs();
  void set_infrastructure(std::string failure_class, std::string message);

  const Job& job_;
  const JobStage& stage_;
  CappedLog& log_;
  const int cancelled_;
  const std::string cgroup_name_;
  std::vector<int> early_indices_;  ///< scanner pattern → JobStage::early
  std::optional<LineScanner> scanner_;
  std::optional<Cgroup> cgroup_;
  Descriptor output_, leader_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  Clock::time_point started_, last_output_, next_sample_;
  std::optional<Clock::time_point> kill_at_, killed_at_, early_seen_;
  int early_ = -1;
  bool pending_searched_ = false;
  std::uint64_t sampled_peak_ = 0, usage_peak_ = 0;
  std::optional<ContainerState> container_;
  bool conmon_saw_oom_ = false;
  StageResult result_;
};

StageRun::StageRun(const Job& job, std::size_t index, CappedLog& log, int cancelled)
    : job_(job),
      stage_(job.stages[index]),
      log_(log),
      cancelled_(cancelled),
      cgroup_name_(cgroup_name(job, index)) {
  std::vector<std::string> patterns;
  for (std::size_t early = 0; early < stage_.early.size(); ++early) {
    if (!stage_.early[early].stage.empty() && stage_.early[early].stage != stage_.name) continue;
    patterns.push_back(stage_.early[early].match);
    early_indices_.push_back(static_cast<int>(early));
  }
  patterns.insert(patterns.end(), job.keep.begin(), job.keep.end());
  scanner_.emplace(patterns, early_indices_.size());
  result_.outcome.name = stage_.name;
}

void StageRun::set_infrastructure(std::string failure_class, std::string message) {
  result_.outcome.ending = Ending::infrastructure;
  result_.infrastructure = std::move(failure_class);
  result_.message = std::move(message);
}

void StageRun::refuse(int error) {
  const std::string program = stage_.argv.empty() ? "(nothing)" : stage_.argv.front();
  if (error == ENOENT && ::access(stage_.directory.c_str(), X_OK) != 0) {
    set_infrastructure("program-not-found", "stage " + stage_.name + ": its folder " +
                                                stage_.directory.string() + " is not there");
  } else if (error == ENOENT || error == ENOTDIR) {
    set_infrastructure("program-not-found", "program " + program + " was not found");
  } else if (error == EACCES || error == ENOEXEC || error == EPERM || error == ELOOP || error == ETXTBSY) {
    set_infrastructure("not-executable",
                       "program " + program + " cannot be executed: " + std::strerror(error));
  } else {
    set_infrastructure("supervisor", "program " + program + " could not be started: " + std::strerror(error));
  }
}

/// Whether the stage's program runs now.
bool StageRun::start() {
  const auto path = stage_.environment.find("PATH");
  const std::string list = path == stage_.environment.end() ? "/usr/bin:/bin" : path->second;
  if (stage_.argv.empty()) return refuse(ENOENT), false;
  const auto program = find_program(stage_.argv.front(), list, stage_.directory);
  if (!program) {
    const bool there = stage_.argv.front().find('/') != std::string::npos &&
                       ::access((stage_.directory / stage_.argv.front()).c_str(), F_OK) == 0;
    return refuse(there ? EACCES : ENOENT), false;
  }
  if (stage_.limits.memory_bytes && !stage_.container) {
    cgroup_ = Cgroup::create(cgroup_name_, stage_.limits.memory_bytes);
  }
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return refuse(errno), false;
  output_ = Descriptor(pipe[0]);
  const Descriptor input(pipe[1]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(output_.get(), F_SETPIPE_SZ, 1 << 20);  // fewer wakings for noisy programs; refusal does no harm
  Birth birth{*program, input.get(), {}};
  if (cgroup_) birth.cgroup_members.push_back(cgroup_->members());
  JobStage born = stage_;
  born.environment[kTrialVariable] = job_.attempt;
  started_ = last_output_ = next_sample_ = Clock::now();
  const Launched launched = launch(born, birth);
  if (launched.error != 0) return refuse(launched.error), false;
  pid_ = launched.pid;
  leader_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return true;
}

StageResult StageRun::run() {
  if (start()) {
    result_.enforced = {"wall", cgroup_ ? "tree: cgroup" : "tree: subreaper"};
    if (stage_.limits.idle) result_.enforced.push_back("idle");
    if (stage_.limits.memory_bytes) {
      result_.enforced.push_back("memory: " + (stage_.container ? std::string("engine")
                                               : cgroup_        ? cgroup_->source()
                                                                : "sampled"));
    }
    if (stage_.limits.address_space_bytes) result_.enforced.push_back("address space");
    watch();
    finish_tree();
    judge();
  }
  return std::move(result_);
}

int StageRun::wait_ms() const {
  const Clock::time_point now = Clock::now();
  Clock::time_point next = now + kTick;
  const auto sooner = [&next](Clock::time_point other) { next = std::min(next, other); };
  if (kill_at_) {
    sooner(*kill_at_);
  } else {
    sooner(started_ + stage_.limits.wall);
    if (stage_.limits.idle) sooner(last_output_ + *stage_.limits.idle);
    if (early_seen_) sooner(last_output_ + job_.settle);
    if (stage_.limits.memory_bytes && !cgroup_) sooner(next_sample_);
  }
  const auto left = std::chrono::ceil<milliseconds>(next - now).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

/// Until the leader has ended. The end of the pipe means nothing: a grandchild may hold it for ever.
void StageRun::watch() {
  while (true) {
    std::array<pollfd, 3> waits{
        {{leader_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {cancelled_, POLLIN, 0}}};
    const int ready = ::poll(waits.data(), waits.size(), wait_ms());
    if (ready > 0 && waits[1].revents != 0) pump();
    if (ready > 0 && waits[0].revents != 0) return;
    if (ready > 0 && waits[2].revents != 0) end("cancel");
    if (killed_at_ && Clock::now() - *killed_at_ > kKillPatience) return;
    check_limits();
  }
}

/// Reads what is there, at most a few buffers of it, so that limits are checked however much comes. True
/// while there is more.
bool StageRun::pump() {
  std::array<char, 65536> buffer;
  for (int round = 0; output_ && round < kReadsPerRound; ++round) {
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      output_.reset();
      return false;
    }
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    const std::uint64_t position = log_.bytes();
    log_.append(bytes);
    last_output_ = Clock::now();
    pending_searched_ = false;
    look_at(scanner_->feed(bytes, position));
  }
  return static_cast<bool>(output_);
}

void StageRun::look_at(const std::vector<LineHit>& hits) {
  for (const LineHit& hit : hits) {
    log_.keep(hit.begin, hit.end, hit.pattern);
    if (hit.pattern >= early_indices_.size() || early_seen_) continue;
    early_ = early_indices_[hit.pattern];
    early_seen_ = Clock::now();
  }
}

void StageRun::check_limits() {
  const Clock::time_point now = Clock::now();
  if (kill_at_) {
    if (now >= *kill_at_) {
      signal_tree(SIGKILL);
      if (!killed_at_) killed_at_ = now;
      kill_at_ = now + kTick;  // whoever was born meanwhile
    }
    return;
  }
  if (!pending_searched_ && now - last_output_ >= kTick) {
    look_at(scanner_->pending());
    pending_searched_ = true;
  }
  if (stage_.limits.memory_bytes && !cgroup_ && !stage_.container) sample_memory();
  std::error_code ignored;
  if (std::filesystem::exists(job_.folder / "cancel", ignored)) return end("cancel");
  if (now >= started_ + stage_.limits.wall) return end("wall");
  if (stage_.limits.idle && now >= last_output_ + *stage_.limits.idle) return end("idle");
  if (early_seen_ && (now >= last_output_ + job_.settle || now >= *early_seen_ + kLongestSettle))
    end("early");
}

void StageRun::sample_memory() {
  const Clock::time_point now = Clock::now();
  if (now < next_sample_) return;
  std::uint64_t resident = 0;
  for (const ProcessEntry& entry : descendants_of(::getpid())) resident += entry.resident_bytes;
  sampled_peak_ = std::max(sampled_peak_, resident);
  // Reading a large process table must not take a good part of a core.
  next_sample_ = now + std::max<Clock::duration>(kSampleTick, 20 * (Clock::now() - now));
  if (resident > *stage_.limits.memory_bytes) end("memory");
}

void StageRun::end(const char* reason) {
  if (kill_at_) return;
  result_.outcome.killed_by = reason;
  signal_tree(SIGTERM);
  kill_at_ = Clock::now() + stage_.limits.grace;
}

void StageRun::signal_tree(int signal) {
  // conmon and the container's processes are our descendants too, but only the engine may end them: what we
  // sent them past it would look like the compiler's own end. Its client hands TERM on; KILL is `rm -f`.
  if (stage_.container) {
    if (signal == SIGKILL) container_ = container_state(*stage_.container);
    if (signal == SIGKILL) remove_container(*stage_.container);
    ::kill(-pid_, signal);
    return;
  }
  ::kill(-pid_, signal);
  if (signal == SIGKILL && cgroup_) cgroup_->kill();
  signal_descendants(signal);
}

void StageRun::reap(pid_t pid, int status, const rusage& usage) {
  if (pid == pid_) status_ = status;
  result_.outcome.cpu_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  usage_peak_ = std::max(usage_peak_, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
}

/// Reaps every child that has ended: the leader, and orphans that came to us. True when no child is left; as
/// we are the parent of every orphan, that means that nobody of the tree is left at all.
bool StageRun::reap_children() {
  int status = 0;
  rusage usage{};
  pid_t pid = 0;
  while ((pid = ::wait4(-1, &status, WNOHANG, &usage)) > 0) reap(pid, status, usage);
  return pid < 0 && errno == ECHILD;
}

/// The leader has ended. Kills what is left of its tree, then takes what is left in the pipe.
void StageRun::finish_tree() {
  if (stage_.container) {
    conmon_saw_oom_ = ::access((stage_.directory / "oom").c_str(), F_OK) == 0;
    if (!container_) container_ = container_state(*stage_.container);
    remove_container(*stage_.container);
  }
  ::kill(-pid_, SIGKILL);  // before the leader is reaped: until then its id cannot be anybody else's
  if (cgroup_) cgroup_->kill();
  const Clock::time_point give_up = Clock::now() + kKillPatience;
  while (!reap_children() && Clock::now() < give_up) {
    signal_descendants(SIGKILL);
    if (cgroup_) cgroup_->kill();
    while (pump()) {
    }
    std::this_thread::sleep_for(1ms);
  }
  result_.outcome.wall_s = seconds(Clock::now() - started_);
  while (pump()) {
  }
  look_at(scanner_->pending());
}

bool StageRun::memory_evidence() const {
  if (!stage_.limits.memory_bytes) return false;
  if (cgroup_) return cgroup_->oom_kills() > 0;
  if (container_) return container_->out_of_memory || conmon_saw_oom_;
  return false;
}

/// From what was seen to how it ended.
void StageRun::judge() {
  StageOutcome& outcome = result_.outcome;
  outcome.memory_source = cgroup_ ? cgroup_->source() : sampled_peak_ > 0 ? "sampled" : "rusage";
  outcome.peak_memory_bytes = cgroup_ ? cgroup_->peak_bytes() : std::max(sampled_peak_, usage_peak_);
  if (status_ && WIFEXITED(*status_)) outcome.exit_code = WEXITSTATUS(*status_);
  if (status_ && WIFSIGNALED(*status_)) outcome.signal = WTERMSIG(*status_);
  const bool success = outcome.exit_code && std::find(stage_.success.begin(), stage_.success.end(),
                                                      *outcome.exit_code) != stage_.success.end();
  if (outcome.killed_by == "cancel") {
    outcome.ending = Ending::cancelled;
  } else if (outcome.killed_by == "wall" || outcome.killed_by == "idle") {
    outcome.ending = Ending::timed_out;
  } else if (outcome.killed_by == "memory") {
    outcome.ending = Ending::out_of_memory;
  } else if (outcome.killed_by == "early") {
    outcome.ending = Ending::stopped_early;
    const EarlyPattern& pattern = stage_.early[static_cast<std::size_t>(early_)];
    outcome.early_pattern = early_;
    outcome.early_verdict = pattern.verdict;
    outcome.early_decides = pattern.decides;
  } else if (!success && memory_evidence()) {
    outcome.ending = Ending::out_of_memory;
    outcome.killed_by = "memory";
  } else if (stage_.container) {
    judge_container();
  } else if (outcome.signal == SIGKILL) {
    outcome.killed_by = "outside";
    set_infrastructure("killed-from-outside",
                       "stage " + stage_.name +
                           " was killed with SIGKILL by somebody else, perhaps by the machine for "
                           "want of memory: bound it with --memory");
  } else {
    outcome.ending = outcome.signal ? Ending::signalled : Ending::exited;
  }
  result_.succeeded = success && outcome.ending == Ending::exited;
  if (result_.succeeded) check_outputs();
}

/// The engine's client has ended: is its code the command's, or the engine's own?
void StageRun::judge_container() {
  StageOutcome& outcome = result_.outcome;
  outcome.ending = outcome.signal ? Ending::signalled : Ending::exited;
  if (!container_ || !container_->started) {
    const std::string words =
        container_ && !container_->error.empty() ? container_->error : std::string(log_.recent());
    set_infrastructure("engine", "the container engine could not start stage " + stage_.name + ": " + words);
    return;
  }
  if (outcome.signal || outcome.exit_code == 137) {
    outcome.killed_by = "outside";
    set_infrastructure("killed-from-outside",
                       "the container of stage " + stage_.name +
                           " was killed by somebody else, perhaps by the machine for want of "
                           "memory: bound it with --memory");
    return;
  }
  // catatonit and tini, the two inits behind --init, say so and end with a code that the command could have,
  // too.
  const std::string last(last_line(log_.recent()));
  if (last.find("failed to exec pid1") != std::string::npos || last.starts_with("[FATAL tini")) {
    const bool missing = last.find("No such file") != std::string::npos;
    set_infrastructure(
        missing ? "program-not-found" : "not-executable",
        "the program of stage " + stage_.name + " cannot be started in the container: " + last);
    return;
  }
  outcome.exit_code = container_->exit_code;
}

void StageRun::check_outputs() {
  for (const auto& output : stage_.outputs) {
    const auto file = output.is_absolute() ? output : stage_.directory / output;
    std::error_code error;
    const bool folder = std::filesystem::is_directory(file, error);
    const bool there = folder ? !std::filesystem::is_empty(file, error)
                              : std::filesystem::file_size(file, error) > 0 && !error;
    if (!there || error) result_.outcome.missing_outputs.push_back(output.string());
  }
  if (!result_.outcome.missing_outputs.empty()) result_.succeeded = false;
}

}  // namespace

StageResult run_stage(const Job& job, std::size_t index, CappedLog& log, int cancelled) {
  return StageRun(job, index, log, cancelled).run();
}

}  // namespace brink
