#include <catch2/catch.hpp>

#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

namespace {

/// `mebibytes` of lines of `line` bytes with NULs and escapes, one telling line in the middle.
std::string flood(int mebibytes, int line) {
  return "perl -e 'my $l = (\"noise \\0 \\e[31m \\xff\" x " + std::to_string(line / 14) +
         ").\"\\n\"; my $n = (" + std::to_string(mebibytes) +
         " << 20) / length($l); for my $i (0 .. $n) { print $l; print \"the telling line\\n\" if $i == "
         "int($n / 2); }'";
}

/// Peak resident memory of the supervisor of a running trial.
std::uint64_t peak_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
  return 0;
}

void check_flood(int mebibytes, int line) {
  const Folder folder;
  Job job = shell(folder.path, flood(mebibytes, line));
  job.log_cap_bytes = 4 << 20;
  job.stages[0].limits.wall = 600s;
  job.keep = {"telling line"};
  const auto local = executor();
  local->submit(job, prepare(job));
  std::uint64_t peak = 0;
  std::optional<Completion> completion;
  while (!(completion = local->next(std::chrono::steady_clock::now() + 20ms)))
    for (const pid_t pid : processes_with("job.json")) peak = std::max(peak, peak_of(pid));
  CHECK(completion->outcome.ending == Ending::exited);
  CHECK(completion->outcome.log_bytes >= static_cast<std::uint64_t>(mebibytes - 1) << 20);
  CHECK(completion->outcome.log_cut_bytes > 0);
  CHECK(std::filesystem::file_size(job.folder / "log") < (6U << 20));
  CHECK(log_of(job).find("the telling line") != std::string::npos);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(peak > 0);
  CHECK(peak < std::uint64_t{64} << 20);
#endif
}

}  // namespace

TEST_CASE("log: what a job writes to both streams is in the log, in order", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "echo one; echo two >&2; printf three");
  run(job);
  CHECK(log_of(job) == "one\ntwo\nthree");
}

TEST_CASE("log: a flood is cut, counted, and keeps the lines that a rule matches", "[execution]") {
  check_flood(64, 140);
}

TEST_CASE("log: lines of 20 MB are no trouble", "[execution]") { check_flood(64, 20'000'006); }

TEST_CASE("log: one GiB with lines of 100 MB", "[execution][.slow]") { check_flood(1024, 100'000'006); }
