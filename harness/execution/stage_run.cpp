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
#include <optional>
#include <thread>

#include "harness/execution/cgroup.hpp"
#include "harness/execution/container_memory.hpp"
#include "harness/execution/engine.hpp"
#include "harness/execution/launch.hpp"
#include "harness/execution/line_scanner.hpp"
#include "harness/execution/process_tree.hpp"
#include "harness/execution/remnants.hpp"
#include "harness/execution/stage_fault.hpp"

namespace brink {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: a suspended machine's time does not count

constexpr auto kTick = 200ms;  ///< how often what has no descriptor is looked at: the cancel file, limits
constexpr auto kSampleTick = 100ms;   ///< how often memory is sampled where no control group counts it
constexpr auto kLongestSettle = 60s;  ///< an endless message is not waited for
constexpr auto kKillPatience = 60s;   ///< a process in uninterruptible sleep outlives SIGKILL
constexpr int kReadsPerRound = 16;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }
double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// The life of one stage.
class StageRun {
 public:
  StageRun(const Job& job, std::size_t index, CappedLog& log, int cancelled);
  StageResult run();

 private:
  bool start();
  void watch();
  int wait_ms() const;
  bool pump();
  void look_at(const std::vector<LineHit>& hits);
  void check_limits();
  bool samples_memory() const;
  void sample_memory();
  void end(const char* reason);
  void signal_tree(int signal);
  void reap(pid_t pid, int status, const rusage& usage);
  bool reap_children();
  void finish_tree();
  void measure();
  void judge();
  void judge_container();
  bool memory_evidence() const;
  void set_fault(StageFault fault);

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
  std::optional<ContainerMemory> container_memory_;
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
  if (stage_.container) container_memory_.emplace(stage_.container->cidfile);
  result_.outcome.name = stage_.name;
}

void StageRun::set_fault(StageFault fault) {
  result_.outcome.ending = Ending::infrastructure;
  result_.infrastructure = std::move(fault.infrastructure);
  result_.message = std::move(fault.message);
}

/// Whether the stage's program runs now.
bool StageRun::start() {
  const auto path = stage_.environment.find("PATH");
  const std::string list = path == stage_.environment.end() ? "/usr/bin:/bin" : path->second;
  if (stage_.argv.empty()) return set_fault(start_fault(stage_, ENOENT)), false;
  const auto program = find_program(stage_.argv.front(), list, stage_.directory);
  if (!program) {
    const bool there = stage_.argv.front().find('/') != std::string::npos &&
                       ::access((stage_.directory / stage_.argv.front()).c_str(), F_OK) == 0;
    return set_fault(start_fault(stage_, there ? EACCES : ENOENT)), false;
  }
  if (stage_.limits.memory_bytes && !stage_.container) {
    cgroup_ = Cgroup::create(cgroup_name_, stage_.limits.memory_bytes);
  }
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return set_fault(start_fault(stage_, errno)), false;
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
  if (launched.error != 0) return set_fault(start_fault(stage_, launched.error)), false;
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
    if (samples_memory()) sooner(next_sample_);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

/// Until the leader has ended. The end of the pipe means nothing: a grandchild may hold it for ever.
void StageRun::watch() {
  while (true) {
    std::array<pollfd, 3> ends{
        {{leader_.get(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {cancelled_, POLLIN, 0}}};
    const int ready = ::poll(ends.data(), ends.size(), wait_ms());
    if (ready > 0 && ends[1].revents != 0) pump();
    if (ready > 0 && ends[0].revents != 0) return;
    if (ready > 0 && ends[2].revents != 0) end("cancel");
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
  if (samples_memory()) sample_memory();
  std::error_code ignored;
  if (std::filesystem::exists(job_.folder / "cancel", ignored)) return end("cancel");
  if (now >= started_ + stage_.limits.wall) return end("wall");
  if (stage_.limits.idle && now >= last_output_ + *stage_.limits.idle) return end("idle");
  if (early_seen_ && (now >= last_output_ + job_.settle || now >= *early_seen_ + kLongestSettle))
    end("early");
}

bool StageRun::samples_memory() const {
  return container_memory_ || (stage_.limits.memory_bytes && !cgroup_);
}

void StageRun::sample_memory() {
  const Clock::time_point now = Clock::now();
  if (now < next_sample_) return;
  if (container_memory_) {
    container_memory_->look();
    next_sample_ = now + kSampleTick;
    return;
  }
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
    container_memory_->look();
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

void StageRun::measure() {
  StageOutcome& outcome = result_.outcome;
  if (container_memory_) {
    outcome.memory_source = container_memory_->source();
    outcome.peak_memory_bytes = container_memory_->peak_bytes();
  } else {
    outcome.memory_source = cgroup_ ? cgroup_->source() : sampled_peak_ > 0 ? "sampled" : "rusage";
    outcome.peak_memory_bytes = cgroup_ ? cgroup_->peak_bytes() : std::max(sampled_peak_, usage_peak_);
  }
}

/// From what was seen to how it ended.
void StageRun::judge() {
  StageOutcome& outcome = result_.outcome;
  measure();
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
    set_fault(outside_fault(stage_));
  } else {
    outcome.ending = outcome.signal ? Ending::signalled : Ending::exited;
  }
  result_.succeeded = success && outcome.ending == Ending::exited;
  if (result_.succeeded) outcome.missing_outputs = missing_outputs(stage_);
  result_.succeeded = result_.succeeded && outcome.missing_outputs.empty();
}

/// The engine's client has ended: is its code the command's, or the engine's own?
void StageRun::judge_container() {
  StageOutcome& outcome = result_.outcome;
  outcome.ending = outcome.signal ? Ending::signalled : Ending::exited;
  if (auto fault = engine_fault(stage_, container_, outcome.exit_code, log_.recent())) {
    if (fault->infrastructure == "killed-from-outside") outcome.killed_by = "outside";
    return set_fault(std::move(*fault));
  }
  outcome.exit_code = container_->exit_code;
}

}  // namespace

StageResult run_stage(const Job& job, std::size_t index, CappedLog& log, int cancelled) {
  return StageRun(job, index, log, cancelled).run();
}

}  // namespace brink
