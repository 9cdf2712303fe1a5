#include <sys/stat.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/error.hpp"
#include "tests/unit/results/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

struct Filled : Folder {
  Store store{path / "s", Store::Mode::write};
  Submitted submitted = store.submit(campaign());
  RowId experiment = store.experiments(submitted.id).at(0).id;
  RowId add(const std::string& config = R"({"n":5})") {
    return store.insert_trial(trial(submitted.id, experiment, config));
  }
};

std::string refusal(const std::filesystem::path& folder, Store::Mode mode) {
  try {
    const Store store(folder, mode);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::infrastructure);
    return error.line();
  }
  return "";
}

}  // namespace

TEST_CASE("store: a trial is running until its outcome is written, and that once", "[results]") {
  Filled filled;
  const RowId id = filled.add();
  CHECK(filled.store.running_trials().size() == 1);
  CHECK(filled.store.trial(id)->state == "running");
  filled.store.finish_trial(id, exited(3), failed(), "rules");
  CHECK(filled.store.running_trials().empty());
  const TrialRow row = filled.store.trial(id).value();
  CHECK(row.state == "ended");
  CHECK(row.outcome == exited(3));
  CHECK(row.diagnosis == failed());
  CHECK(row.rules_digest == "rules");
  CHECK(row.made.config == R"({"n":5})");
  CHECK_THROWS_AS(filled.store.finish_trial(id, exited(0), {}, "rules"), Error);
  CHECK(filled.store.trial(id)->outcome == exited(3));
}

TEST_CASE("store: facts and readings are apart: a new diagnosis leaves the outcome alone", "[results]") {
  Filled filled;
  const RowId id = filled.add();
  filled.store.finish_trial(id, exited(3), failed("old"), "one");
  filled.store.replace_diagnosis(id, failed("new"), "two");
  CHECK(filled.store.trial(id)->diagnosis->failure->message == "new");
  CHECK(filled.store.trial(id)->outcome == exited(3));
}

TEST_CASE("store: trials are found by key and by family, oldest first", "[results]") {
  Filled filled;
  const RowId first = filled.add(), second = filled.add(), other = filled.add(R"({"n":6})");
  for (const RowId id : {first, second}) filled.store.finish_trial(id, exited(0), {}, "rules");
  const auto same = filled.store.trials_of_key(R"(key{"n":5})");
  REQUIRE(same.size() == 2);
  CHECK(same[0].id == first);
  CHECK(filled.store.trials_of_family("family").size() == 2);
  CHECK(filled.store.last_trial() == other);
}

TEST_CASE("store: what a batch did not commit never happened", "[results]") {
  Filled filled;
  {
    Store::Batch batch(filled.store);
    filled.add();
  }
  CHECK(filled.store.last_trial() == 0);
  {
    Store::Batch batch(filled.store);
    const RowId id = filled.add();
    filled.store.finish_trial(id, exited(0), {}, "rules");
    batch.commit();
  }
  CHECK(filled.store.trials_of_family("family").size() == 1);
}

TEST_CASE("store: the same campaign is the same revision, another is the next and supersedes unfinished work",
          "[results]") {
  Filled filled;
  const Submitted again = filled.store.submit(campaign());
  CHECK(again.existed);
  CHECK(again.id == filled.submitted.id);
  const Submitted next = filled.store.submit(campaign("c", "other"));
  CHECK(next.revision == 2);
  CHECK(filled.store.campaign(filled.submitted.id)->state == "superseded");
  CHECK(filled.store.experiments(filled.submitted.id).at(0).state == "cancelled");
  CHECK(filled.store.campaign("c")->revision == 2);
  CHECK(filled.store.campaign("c", 1)->digest == "d");
  REQUIRE(filled.store.runnable().size() == 1);
}

TEST_CASE("store: the queue is by priority, then by age", "[results]") {
  const Folder folder;
  Store store(folder.path / "s", Store::Mode::write);
  store.submit(campaign("a"));
  NewCampaign urgent = campaign("b");
  urgent.priority = 5;
  store.submit(urgent);
  store.submit(campaign("z"));
  const auto rows = store.runnable();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "b");
  CHECK(rows[1].name == "a");
  const auto version = store.data_version();
  store.set_campaign_state(rows[1].id, "paused");
  CHECK(store.data_version() > version);
  CHECK(store.runnable().size() == 2);
}

TEST_CASE("store: the second runner is refused and told of the first", "[results]") {
  Filled filled;
  const Descriptor lock = filled.store.lock_runner("brink run x");
  CHECK(filled.store.runner_now().has_value());
  Store other(filled.path / "s", Store::Mode::write);
  try {
    other.lock_runner("second");
    FAIL("the second runner got the lock");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::locked);
    for (const char* word : {"brink run x", "brink submit", "--store"})
      CHECK(error.line().find(word) != std::string::npos);
    CHECK(error.line().find(std::to_string(::getpid())) != std::string::npos);
  }
}

TEST_CASE("store: a reader sees committed rows while another process writes", "[results]") {
  Filled filled;
  const Store reader(filled.path / "s", Store::Mode::read);
  const pid_t writer = ::fork();
  REQUIRE(writer >= 0);
  if (writer == 0) {
    Store store(filled.path / "s", Store::Mode::write);
    for (int i = 0; i < 50; ++i) store.insert_trial(trial(filled.submitted.id, filled.experiment));
    ::_exit(0);
  }
  RowId last = 0;
  while (last < 50) {
    const RowId now = reader.last_trial();
    REQUIRE(now >= last);
    last = now;
  }
  ::waitpid(writer, nullptr, 0);
  CHECK(reader.running_trials().size() == 50);
}

TEST_CASE("store: what is not a store of ours is refused in one line", "[results]") {
  const Folder folder;
  CHECK(refusal(folder.path / "none", Store::Mode::read).find("none") != std::string::npos);
  std::filesystem::create_directory(folder.path / "junk");
  std::ofstream(folder.path / "junk" / "results.sqlite") << std::string(5000, 'x');
  for (const auto mode : {Store::Mode::read, Store::Mode::write}) {
    const std::string line = refusal(folder.path / "junk", mode);
    CHECK_FALSE(line.empty());
    CHECK(line.find('\n') == std::string::npos);
  }
  std::ofstream(folder.path / "file") << "x";
  CHECK_FALSE(refusal(folder.path / "file", Store::Mode::write).empty());
}

TEST_CASE("store: files that commands make are remembered once", "[results]") {
  Filled filled;
  const RowId id = filled.add();
  filled.store.add_output_file("/a/out.log", id);
  filled.store.add_output_file("/a/out.log", id);
  CHECK(filled.store.output_files() == std::vector<std::filesystem::path>{"/a/out.log"});
}

TEST_CASE("store: a long log is compressed whole, a short one stays", "[results]") {
  Filled filled;
  const RowId id = filled.add();
  std::filesystem::create_directories(filled.store.trial_folder(id));
  const auto log = filled.store.trial_folder(id) / "log";
  write_file(log, "short");
  filled.store.compress_log(id);
  CHECK(read_file(log) == "short");
  write_file(log, std::string(100000, 'x'));
  filled.store.compress_log(id);
  CHECK_FALSE(std::filesystem::exists(log));
  CHECK(std::filesystem::file_size(log.string() + ".zst") < 10000);
}

TEST_CASE("store: is found by option, environment, and upwards", "[results]") {
  const Folder folder;
  ::unsetenv("BRINK_STORE");
  ::setenv("HOME", folder.path.c_str(), 1);
  std::filesystem::create_directories(folder.path / "a" / "b");
  CHECK(find_store(std::nullopt, folder.path / "a" / "b") == folder.path / "a" / "b" / ".brink");
  std::filesystem::create_directories(folder.path / ".brink");
  CHECK(find_store(std::nullopt, folder.path / "a" / "b") == folder.path / ".brink");
  ::setenv("BRINK_STORE", "/env", 1);
  CHECK(find_store(std::nullopt, folder.path) == "/env");
  CHECK(find_store(std::filesystem::path("/opt"), folder.path) == "/opt");
  ::unsetenv("BRINK_STORE");
}
