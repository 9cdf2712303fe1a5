// brink-supervise JOB.json [--lock-fd N]: one job from its start to its outcome.json, whoever else is alive.

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/job.hpp"
#include "harness/core/text.hpp"
#include "harness/execution/outcome_file.hpp"
#include "harness/execution/remnants.hpp"
#include "harness/execution/supervise.hpp"

namespace {

/// A descriptor that becomes readable when somebody sends TERM; what a terminal sends when it closes is
/// ignored.
brink::Descriptor take_over_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &term, nullptr);
  return brink::Descriptor(::signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK));
}

int complain(const std::string& line) {
  const std::string text = "brink-supervise: " + brink::for_terminal(line) + "\n";
  const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
  return static_cast<int>(brink::Exit::infrastructure);
}

int run(const char* job_file) {
  const brink::Descriptor cancelled = take_over_signals();
  ::setsid();  // fails when the runner already made us a leader, which is as good
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const brink::Job job = brink::job_from_json(brink::read_file(job_file));
  brink::OutcomeFile file(job.folder);
  brink::write_supervisor_record(job);
  const brink::Outcome outcome = brink::supervise(job, cancelled.get(), !file.allocated());
  if (file.commit(brink::outcome_to_json(outcome))) return 0;
  return complain(job.folder.string() + ": outcome.json could not be written: " + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && !(argc == 4 && std::strcmp(argv[2], "--lock-fd") == 0)) {
    complain("usage: brink-supervise JOB.json [--lock-fd N]");
    return static_cast<int>(brink::Exit::usage);
  }
  // The lock stays open until we end, which frees it; no job may inherit it.
  if (argc == 4 && ::fcntl(std::atoi(argv[3]), F_SETFD, FD_CLOEXEC) != 0)
    return complain("the lock is not open");
  // Nor anything else that the runner left open to us, our own program among it.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
