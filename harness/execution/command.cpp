#include "harness/execution/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "harness/core/files.hpp"
#include "harness/execution/launch.hpp"

namespace brink {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostOutput = std::size_t{1} << 20;

/// Takes what is in the pipe now.
void drain(Descriptor& pipe, std::string& output) {
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while (pipe && (got = ::read(pipe.get(), buffer.data(), buffer.size())) > 0) {
    const std::size_t room = kMostOutput - std::min(kMostOutput, output.size());
    output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  }
  if (got == 0) pipe.reset();
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv,
                          const std::map<std::string, std::string>& environment,
                          const std::filesystem::path& directory, std::chrono::milliseconds deadline) {
  CommandResult result;
  const auto path = environment.find("PATH");
  const auto program =
      argv.empty()
          ? std::nullopt
          : find_program(argv.front(), path == environment.end() ? "/usr/bin:/bin" : path->second, directory);
  std::array<int, 2> ends{};
  if (!program || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    result.error = program ? errno : ENOENT;
    return result;
  }
  Descriptor pipe(ends[0]);
  Descriptor input(ends[1]);
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  JobStage stage;
  stage.argv = argv;
  stage.environment = environment;
  stage.directory = directory;
  const Launched launched = launch(stage, {*program, input.get(), {}});
  input.reset();
  result.error = launched.error;
  if (launched.error != 0) return result;
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, launched.pid, 0)));
  const auto end = Clock::now() + deadline;
  for (bool ended = false; !ended;) {
    std::array<pollfd, 2> waits{{{process.get(), POLLIN, 0}, {pipe.get(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) result.timed_out = true;
    if (left <= 0) break;
    ::poll(waits.data(), waits.size(), static_cast<int>(std::min<std::int64_t>(left, 1000)));
    drain(pipe, result.output);
    ended = waits[0].revents != 0;
  }
  ::kill(-launched.pid, SIGKILL);  // before it is reaped: the id is still its own
  int status = 0;
  ::waitpid(launched.pid, &status, 0);
  drain(pipe, result.output);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace brink
