#include <catch2/catch.hpp>

#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

TEST_CASE(
    "tree: a compiler that ignores TERM, forks, setsid's and keeps the pipe open is gone within the grace",
    "[execution]") {
  const Folder folder;
  const std::string mark = "9" + std::to_string(::getpid()) + ".25";
  Job job =
      shell(folder.path, "trap '' TERM; setsid sleep " + mark + " & (setsid sh -c \"trap '' TERM; sleep " +
                             mark + " & sleep " + mark + "\" &) ; sleep " + mark + " & wait; sleep " + mark);
  job.stages[0].limits.wall = 400ms;
  const auto local = executor();
  local->submit(job, prepare(job));
  const Outcome outcome = next(*local);
  CHECK(outcome.ending == Ending::timed_out);
  CHECK(processes_with(mark).empty());
}

TEST_CASE("tree: a grandchild that holds the pipe hangs nobody and does not survive its compiler",
          "[execution]") {
  const Folder folder;
  const std::string mark = "8" + std::to_string(::getpid()) + ".25";
  const Outcome outcome = run(shell(folder.path, "setsid sleep " + mark + " & echo done"));
  CHECK(outcome.ending == Ending::exited);
  CHECK(outcome.wall_s < 30);
  CHECK(processes_with(mark).empty());
}

TEST_CASE("tree: cancelling ends everything and is no evidence", "[execution]") {
  const Folder folder;
  const std::string mark = "7" + std::to_string(::getpid()) + ".25";
  const Job job = shell(folder.path, "setsid sleep " + mark + " & sleep " + mark);
  const auto local = executor();
  local->submit(job, prepare(job));
  REQUIRE(within(10s, [&] { return !processes_with(mark).empty(); }));
  local->cancel(job.trial);
  CHECK(next(*local).ending == Ending::cancelled);
  CHECK(processes_with(mark).empty());
}

TEST_CASE("tree: a file called cancel in the trial's folder does it, too", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "sleep 60");
  const auto local = executor();
  local->submit(job, prepare(job));
  write_file(job.folder / "cancel", "");
  CHECK(next(*local).ending == Ending::cancelled);
}
