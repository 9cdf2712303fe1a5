#include <catch2/catch.hpp>

#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

TEST_CASE("ending: an exit code is an exit code, whatever it is", "[execution]") {
  const Folder folder;
  for (const int code : {0, 1, 77, 125, 126, 127, 137, 255}) {
    const Job job = shell(folder.path, "exit " + std::to_string(code), std::to_string(code));
    const Outcome outcome = run(job);
    CHECK(outcome.ending == Ending::exited);
    REQUIRE(outcome.stages.size() == 1);
    CHECK(outcome.stages[0].exit_code == code);
    CHECK(outcome.attempt == job.attempt);
  }
}

TEST_CASE("ending: a crash is a signal, not an exit code", "[execution]") {
  const Folder folder;
  const Outcome outcome = run(shell(folder.path, "kill -SEGV $$"));
  CHECK(outcome.ending == Ending::signalled);
  CHECK(outcome.stages.at(0).signal == SIGSEGV);
}

TEST_CASE("ending: SIGKILL by somebody else is infrastructure and names --memory", "[execution]") {
  const Folder folder;
  const Outcome outcome = run(shell(folder.path, "kill -KILL $$"));
  CHECK(outcome.ending == Ending::infrastructure);
  CHECK(outcome.infrastructure == "killed-from-outside");
  CHECK(outcome.message.find("--memory") != std::string::npos);
}

TEST_CASE("ending: a program that is missing, or not executable, is infrastructure and named",
          "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "");
  job.stages[0].argv = {"./not-there", "1"};
  Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::infrastructure);
  CHECK(outcome.infrastructure == "program-not-found");
  CHECK(outcome.message.find("not-there") != std::string::npos);
  write_file(folder.path / "plain", "#!/bin/sh\n", 0644);
  job = shell(folder.path, "", "2");
  job.stages[0].argv = {"./plain"};
  outcome = run(job);
  CHECK(outcome.infrastructure == "not-executable");
}

TEST_CASE("ending: stages run in order and the first that fails is the last", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "echo one; exit 0");
  for (const char* script : {"echo two; exit 3", "echo three"}) {
    job.stages.push_back(job.stages[0]);
    job.stages.back().argv[2] = script;
    job.stages.back().name = script;
  }
  const Outcome outcome = run(job);
  REQUIRE(outcome.stages.size() == 2);
  CHECK(outcome.stages[1].exit_code == 3);
  CHECK(log_of(job).find("one\ntwo\n") != std::string::npos);
  CHECK(log_of(job).find("three") == std::string::npos);
}

TEST_CASE("ending: success without its output ends the job, and the output is named", "[execution]") {
  const Folder folder;
  Job job = shell(folder.path, "true");
  job.stages[0].outputs = {folder.path / "model.hef"};
  job.stages.push_back(job.stages[0]);
  const Outcome outcome = run(job);
  REQUIRE(outcome.stages.size() == 1);
  CHECK(outcome.ending == Ending::exited);
  REQUIRE(outcome.stages[0].missing_outputs.size() == 1);
  CHECK(outcome.stages[0].missing_outputs[0].find("model.hef") != std::string::npos);
  write_file(folder.path / "model.hef", "");
  CHECK(run(shell(folder.path, "true", "2")).stages.at(0).missing_outputs.empty());
  job.folder = folder.path / "3";
  CHECK(run(job).stages.at(0).missing_outputs.size() == 1);
}

TEST_CASE("ending: the environment is the one that was given, and the mark of the attempt", "[execution]") {
  ::setenv("BRINK_LEAKS", "1", 1);
  const Folder folder;
  const Job job = shell(folder.path, "env");
  run(job);
  CHECK(log_of(job).find("BRINK_LEAKS") == std::string::npos);
  CHECK(log_of(job).find("BRINK_TRIAL=" + job.attempt) != std::string::npos);
}

TEST_CASE("ending: the job inherits no descriptor and no blocked or ignored signal", "[execution]") {
  const Folder folder;
  const Job job = shell(folder.path, "ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status");
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGUSR2, SIG_IGN);
  run(job);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::signal(SIGUSR2, SIG_DFL);
  CHECK(log_of(job).find("4\n") == 0);  // 0, 1, 2, and the folder that ls reads
  CHECK(log_of(job).find("SigBlk:\t0000000000000000") != std::string::npos);
  // glibc keeps two signals for itself, 32 and 33, and lets nobody reset them.
  const std::size_t ignored = log_of(job).find("SigIgn:\t");
  REQUIRE(ignored != std::string::npos);
  CHECK((std::stoull(log_of(job).substr(ignored + 8, 16), nullptr, 16) & ~0x180000000ULL) == 0);
}

TEST_CASE("ending: an input that changed under the trial is never evidence", "[execution]") {
  const Folder folder;
  write_file(folder.path / "input", "one");
  Job job = shell(folder.path, "echo two > input");
  const FileStamp stamp = stamp_of(folder.path / "input").value();
  job.watched = {{folder.path / "input", stamp.device, stamp.inode, stamp.size, stamp.mtime_ns}};
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::infrastructure);
  CHECK(outcome.infrastructure == "input-changed");
  CHECK(outcome.message.find("input") != std::string::npos);
}

TEST_CASE("ending: two hundred jobs leave no process and no descriptor", "[execution]") {
  const Folder folder;
  const auto local = executor(2);
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  for (int i = 0; i < 200; ++i) {
    const Job job = shell(folder.path, "true", std::to_string(i));
    local->submit(job, prepare(job));
    CHECK(next(*local).ending == Ending::exited);
  }
  CHECK(descriptors() == before);
  CHECK(local->running() == 0);
  CHECK(within(2s, [&] { return processes_with(folder.path.string()).empty(); }));
}
