#include "harness/cli/signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "harness/core/error.hpp"

namespace brink::cli {

namespace {

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = our_signals();
  if (::pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0)
    throw infrastructure_error("signals cannot be blocked");
  fd_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw infrastructure_error("signals cannot be read");
}

Signals::~Signals() {
  const sigset_t set = our_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::optional<int> Signals::read_one() {
  signalfd_siginfo arrived{};
  if (::read(fd_.get(), &arrived, sizeof arrived) != static_cast<ssize_t>(sizeof arrived))
    return std::nullopt;
  return static_cast<int>(arrived.ssi_signo);
}

std::optional<int> Signals::first() {
  if (!first_) first_ = read_one();
  return first_;
}

bool Signals::another_within(std::chrono::milliseconds time) {
  pollfd waiting{fd_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(time.count())) > 0 && read_one().has_value();
}

}  // namespace brink::cli
