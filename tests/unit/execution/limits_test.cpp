#include <sys/mount.h>

#include <catch2/catch.hpp>

#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

TEST_CASE("limits: a job that does not end is ended, and says who ended it", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "sleep 60");
  job.stages[0].limits.wall = 200ms;
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::timed_out);
  CHECK(outcome.stages.at(0).killed_by == "wall");
}

TEST_CASE("limits: silence is ended only when an idle limit was set", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "echo x; sleep 60");
  job.stages[0].limits.idle = 200ms;
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::timed_out);
  CHECK(outcome.stages.at(0).killed_by == "idle");
  Job talks = shell(folder.path, "for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done", "2");
  talks.stages[0].limits.idle = 400ms;
  CHECK(run(talks).ending == Ending::exited);
}

TEST_CASE("limits: too much memory is out of memory, in a grandchild, too", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "sh -c 'head -c 300000000 /dev/zero | tail -c 290000000 >/dev/null'; exit 4");
  job.stages[0].limits.memory_bytes = std::uint64_t{64} << 20;
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::out_of_memory);
  CHECK(outcome.stages.at(0).killed_by == "memory");
  Job small = shell(folder.path, "head -c 3000000 /dev/zero | tail -c 2900000 >/dev/null", "2");
  small.stages[0].limits.memory_bytes = std::uint64_t{64} << 20;
  CHECK(run(small).ending == Ending::exited);
}

TEST_CASE("limits: a decisive line ends the job and leaves the message whole", "[execution]") {
  const Folder folder;
  Job job =
      shell(folder.path,
            "echo start; echo 'Context-Partition topology'; echo 'error: first'; echo second; sleep 60");
  job.stages[0].early = {{"topology error", "bad", {"topology"}, ""},
                         {"Context-Partition", "bad", {"topology"}, ""}};
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::stopped_early);
  CHECK(outcome.stages.at(0).early_verdict == "bad");
  CHECK(outcome.stages.at(0).early_decides == std::vector<std::string>{"topology"});
  CHECK(log_of(job).find("second") != std::string::npos);
}

TEST_CASE("limits: a job that ends by itself after a decisive line has ended by itself", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "echo decisive; exit 3");
  job.settle = 5s;
  job.stages[0].early = {{"decisive", "bad", {"x"}, ""}};
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::exited);
  CHECK(outcome.stages.at(0).exit_code == 3);
}

TEST_CASE("limits: a full disk is infrastructure, and the supervisor survives it", "[execution]") {
  const Folder folder;
  if (::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=1m") != 0) {
    WARN("no tmpfs can be mounted here: skipped");
    return;
  }
  Outcome outcome = run(shell(
      folder.path, "head -c 4000000 /dev/zero; echo; echo 'cannot write: No space left on device'; exit 1"));
  ::umount2(folder.path.c_str(), MNT_DETACH);
  CHECK(outcome.ending == Ending::infrastructure);
  CHECK(outcome.infrastructure == "disk-full");
}
