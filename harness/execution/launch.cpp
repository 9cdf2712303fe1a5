#include "harness/execution/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#define BOOST_PROCESS_V2_HEADER_ONLY 1
#define BOOST_PROCESS_USE_STD_FS 1
// Boost's headers are not clean under our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <boost/asio/io_context.hpp>
#include <boost/optional.hpp>
#include <boost/type_traits/decay.hpp>
#include <boost/type_traits/is_convertible.hpp>
// These three are what v2 forgets to include when it is told to use std::filesystem.
#include <boost/process/v2/posix/default_launcher.hpp>
#include <boost/process/v2/process.hpp>
#pragma GCC diagnostic pop

namespace brink {
namespace {

namespace process = boost::process::v2;

process::error_code last_error() { return {errno, boost::system::system_category()}; }

/// An initialiser of Boost.Process: runs in the child between fork and exec, so it may only make system
/// calls.
class ChildSetup {
 public:
  ChildSetup(const JobStage& stage, const Birth& birth) : stage_(stage), birth_(birth) {}

  template <typename Launcher>
  process::error_code on_exec_setup(Launcher&, const process::filesystem::path&, const char* const*&) {
    const bool done = ::setpgid(0, 0) == 0 && join_cgroups() && redirect() && reset_signals() &&
                      limit_address_space() && ::chdir(stage_.directory.c_str()) == 0;
    return done ? process::error_code() : last_error();
  }

 private:
  bool join_cgroups() const {
    return std::all_of(birth_.cgroup_members.begin(), birth_.cgroup_members.end(),
                       [](int fd) { return ::write(fd, "0", 1) == 1; });
  }

  bool redirect() const {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return null >= 0 && ::dup2(null, STDIN_FILENO) >= 0 && ::dup2(birth_.output, STDOUT_FILENO) >= 0 &&
           ::dup2(birth_.output, STDERR_FILENO) >= 0;
  }

  // What the supervisor ignores or blocks would stay so across exec, and a compiler that cannot be
  // interrupted, or whose children's ends are never told, is not the compiler that people know.
  static bool reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
  }

  bool limit_address_space() const {
    if (!stage_.limits.address_space_bytes) return true;
    const rlimit limit{*stage_.limits.address_space_bytes, *stage_.limits.address_space_bytes};
    return ::setrlimit(RLIMIT_AS, &limit) == 0;
  }

  const JobStage& stage_;
  const Birth& birth_;
};

}  // namespace

Launched launch(const JobStage& stage, const Birth& birth) {
  std::vector<std::string> variables;
  variables.reserve(stage.environment.size());
  for (const auto& [name, value] : stage.environment) variables.push_back(name + "=" + value);
  std::vector<const char*> environment;
  for (const auto& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  // A plain vector is taken as it is: argv[0] stays what the stage says, not the resolved path.
  std::vector<const char*> arguments;
  for (const auto& argument : stage.argv) arguments.push_back(argument.c_str());
  arguments.push_back(nullptr);

  boost::asio::io_context reactor(1);
  process::posix::default_launcher launcher;
  launcher.env = environment.data();
  process::error_code error;
  ChildSetup setup(stage, birth);
  const char** argv = arguments.data();
  auto child = launcher(reactor.get_executor(), error, birth.program, argv, setup);
  if (error) {
    if (launcher.pid > 0) ::waitpid(launcher.pid, nullptr, 0);
    return {-1, error.value() != 0 ? error.value() : EIO};
  }
  child.detach();  // its end is awaited on a pidfd, not by the reactor
  return {launcher.pid, 0};
}

}  // namespace brink
