#include <sys/wait.h>

#include <catch2/catch.hpp>

#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

namespace {

/// A runner that starts the job and is killed with -9 a moment later.
void start_and_die(const Job& job, std::chrono::milliseconds later) {
  const pid_t runner = ::fork();
  REQUIRE(runner >= 0);
  if (runner == 0) {
    const auto local = executor();
    local->submit(job, prepare(job));
    ::pause();
  }
  REQUIRE(within(10s, [&] { return std::filesystem::exists(job.folder / "job.json"); }));
  std::this_thread::sleep_for(later);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
}

Outcome adopted(const Job& job) {
  const auto local = executor();
  local->adopt(job);
  return next(*local);
}

}  // namespace

TEST_CASE("adoption: the compile of a runner that was killed goes on and is taken over", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "sleep 0.5; echo through; exit 7");
  start_and_die(job, 200ms);
  CHECK(is_locked(job.folder / "lock"));
  const Outcome outcome = adopted(job);
  CHECK(outcome.ending == Ending::exited);
  CHECK(outcome.stages.at(0).exit_code == 7);
  CHECK(log_of(job) == "through\n");
}

TEST_CASE("adoption: what ended while nobody looked is there at once", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "exit 7");
  start_and_die(job, 100ms);
  REQUIRE(within(10s, [&] { return std::filesystem::exists(job.folder / "outcome.json"); }));
  CHECK(adopted(job).stages.at(0).exit_code == 7);
}

TEST_CASE("adoption: a trial that never started, or whose folder is gone, is lost", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "true");
  CHECK(adopted(job).ending == Ending::lost);
  prepare(job).reset();
  CHECK(adopted(job).ending == Ending::lost);
}

TEST_CASE("adoption: the outcome of an earlier attempt is nobody's", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "exit 7");
  run(job);
  job.attempt = "another";
  CHECK(adopted(job).ending == Ending::lost);
}

TEST_CASE("adoption: a supervisor that was killed leaves a lost trial and no process", "[execution]") {
  const Folder folder;
  const std::string mark = "6" + std::to_string(::getpid()) + ".25";
  const Job job = shell(folder.path, "setsid sleep " + mark + " & sleep " + mark);
  const auto local = executor();
  local->submit(job, prepare(job));
  REQUIRE(within(10s, [&] { return processes_with(mark).size() >= 2; }));
  bool killed = false;
  for (const pid_t pid : processes_with(job.folder.string() + "/job.json"))
    killed = ::kill(pid, SIGKILL) == 0 || killed;
  REQUIRE(killed);
  CHECK(next(*local).ending == Ending::lost);
  CHECK(processes_with(mark).empty());
}

TEST_CASE("adoption: nothing runs means no waiting", "[execution]") {
  const auto local = executor();
  CHECK_FALSE(local->next(std::chrono::steady_clock::now() + 60s).has_value());
}
