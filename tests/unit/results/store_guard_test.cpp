#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "results/migrations.hpp"
#include "results/placement.hpp"
#include "results/sqlite.hpp"
#include "tests/unit/results/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

/// A store with one ended trial, and a connection past its back.
struct Guarded : Folder {
  Store store{path / "s", Store::Mode::write};
  Submitted submitted = store.submit(campaign());
  ExperimentRow experiment = store.experiments(submitted.id).at(0);
  RowId ended = store.insert_trial(trial(submitted.id, experiment.id));
  Database raw{path / "s" / "results.sqlite", Database::Access::write, std::chrono::seconds(5)};
  Guarded() { store.finish_trial(ended, exited(3), failed(), "rules"); }
};

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::infrastructure);
    CHECK(error.code() == "store");
    CHECK(error.line().find('\n') == std::string::npos);
    return error.line();
  }
  return "";
}

std::string text_of(Database& database, const std::string& sql) {
  Statement query(database, sql);
  return query.step() ? query.text(0) : "no row";
}

}  // namespace

TEST_CASE("store: not even SQL from outside can edit, replace or delete a fact", "[results]") {
  Guarded guarded;
  for (const char* sql :
       {"UPDATE trial SET config = '{}'", "DELETE FROM trial", "UPDATE outcome SET ending = 'exited'",
        "DELETE FROM outcome", "INSERT OR REPLACE INTO outcome SELECT * FROM outcome",
        "INSERT OR REPLACE INTO trial SELECT * FROM trial"}) {
    INFO(sql);
    CHECK_FALSE(complaint([&] { guarded.raw.script(sql); }).empty());
  }
  CHECK(guarded.store.trial(guarded.ended)->outcome == exited(3));
}

TEST_CASE("store: the view thresholds has axis values to the last digit", "[results]") {
  Guarded guarded;
  guarded.experiment.state = "answered";
  guarded.experiment.answer = experiment_to_json(threshold());
  guarded.store.set_experiment(guarded.experiment);
  CHECK(text_of(guarded.raw, "SELECT last_good FROM thresholds") == "18446744073709551614");
  CHECK(text_of(guarded.raw, "SELECT first_bad FROM thresholds") == "18446744073709551615");
  CHECK(text_of(guarded.raw, "SELECT class FROM thresholds") == "topology");
  CHECK(text_of(guarded.raw, "SELECT trials FROM thresholds") == "26");
  ExperimentReport words = threshold();
  words.answer.last_good = "O1 \"x\"";
  words.answer.first_bad.reset();
  guarded.experiment.answer = experiment_to_json(words);
  guarded.store.set_experiment(guarded.experiment);
  CHECK(text_of(guarded.raw, "SELECT last_good FROM thresholds") == "O1 \"x\"");
  CHECK(text_of(guarded.raw, "SELECT first_bad IS NULL FROM thresholds") == "1");
}

TEST_CASE("store: the view topology_conflicts shows the newest reading only", "[results]") {
  Guarded guarded;
  CHECK(text_of(guarded.raw, "SELECT count(*) FROM topology_conflicts") == "1");
  CHECK(text_of(guarded.raw, "SELECT node || successor || layer || role FROM topology_conflicts") ==
        "input_layer2ew_add30mask add");
  Diagnosis none = failed();
  none.failure->conflicts.clear();
  guarded.store.replace_diagnosis(guarded.ended, none, "newer");
  CHECK(text_of(guarded.raw, "SELECT count(*) FROM topology_conflicts") == "0");
  guarded.store.replace_diagnosis(guarded.ended, failed("again"), "rules");
  CHECK(text_of(guarded.raw, "SELECT count(*) FROM topology_conflicts") == "1");
  CHECK(text_of(guarded.raw, "SELECT message FROM trials") == "again");
}

TEST_CASE("store: a migration keeps a backup and everything in it", "[results]") {
  Guarded guarded;
  const std::string_view steps[] = {"", "ALTER TABLE trial ADD COLUMN extra TEXT"};
  migrate(guarded.raw, steps);
  CHECK(guarded.raw.number("PRAGMA user_version") == 2);
  CHECK(text_of(guarded.raw, "SELECT count(extra IS NULL) FROM trial") == "1");
  const auto file = (guarded.path / "s" / "results.sqlite.backup-v1");
  Database backup(file, Database::Access::immutable, std::chrono::seconds(1));
  CHECK(backup.number("PRAGMA user_version") == 1);
  CHECK(backup.number("SELECT count(*) FROM outcome") == 1);
  const std::string line = complaint([&] { const Store late(guarded.path / "s", Store::Mode::write); });
  CHECK(line.find("version 2") != std::string::npos);
}

TEST_CASE("store: a migration that fails half-way changes nothing", "[results]") {
  Guarded guarded;
  const std::string_view steps[] = {"", "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)"};
  CHECK_FALSE(complaint([&] { migrate(guarded.raw, steps); }).empty());
  CHECK(guarded.raw.number("PRAGMA user_version") == 1);
  CHECK(guarded.raw.number("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'") == 0);
}

TEST_CASE("store: another program's SQLite file is refused and left as it is", "[results]") {
  const Folder folder;
  const auto file = folder.path / "results.sqlite";
  {
    Database other(file, Database::Access::create, std::chrono::seconds(1));
    other.script("CREATE TABLE theirs (x)");
  }
  const std::string before = read_file(file);
  for (const auto mode : {Store::Mode::read, Store::Mode::write})
    CHECK_FALSE(complaint([&] { const Store store(folder.path, mode); }).empty());
  CHECK(read_file(file) == before);
}

TEST_CASE("store: a folder of other things never becomes a store", "[results]") {
  const Folder folder;
  std::ofstream(folder.path / "thesis.tex") << "x";
  CHECK_FALSE(complaint([&] { const Store store(folder.path, Store::Mode::write); }).empty());
  CHECK_FALSE(std::filesystem::exists(folder.path / ".gitignore"));
}

TEST_CASE("store: store.toml moves the database, and is complained about by line", "[results]") {
  const Folder folder;
  std::filesystem::create_directories(folder.path / "s");
  std::filesystem::create_directories(folder.path / "local");
  std::ofstream(folder.path / "s" / "store.toml")
      << "database = \"" << (folder.path / "local").string() << "\"\n";
  {
    Store store(folder.path / "s", Store::Mode::write);
    store.submit(campaign());
  }
  CHECK(std::filesystem::exists(folder.path / "local" / "results.sqlite"));
  CHECK_FALSE(std::filesystem::exists(folder.path / "s" / "results.sqlite"));
  CHECK(Store(folder.path / "s", Store::Mode::read).campaigns().size() == 1);
  std::ofstream(folder.path / "s" / "store.toml") << "\ndatabse = \"x\"\n";
  const std::string line = complaint([&] { const Store store(folder.path / "s", Store::Mode::read); });
  CHECK(line.find("store.toml:2") != std::string::npos);
  CHECK(line.find("database") != std::string::npos);
}

TEST_CASE("store: a network file system is refused with the line that helps", "[results]") {
  for (const unsigned long magic : {0x6969UL, 0xFF534D42UL, 0xFE534D42UL, 0x0BD00BD0UL})
    CHECK(network_file_system_of(magic).has_value());
  for (const unsigned long magic : {0xEF53UL, 0x01021994UL, 0x9123683EUL, 0x58465342UL, 0x794C7630UL})
    CHECK_FALSE(network_file_system_of(magic).has_value());
  const std::string line = complaint([] { refuse_network("/n/s/results.sqlite", "/n/s", "NFS"); });
  CHECK(line.find(R"(database = "/local/path")") != std::string::npos);
  CHECK(line.find("NFS") != std::string::npos);
}

TEST_CASE("store: bytes of a hostile log come back as valid text", "[results]") {
  Guarded guarded;
  const std::string hostile("\x1b[2J\0\xff\xfe</script>\x9b", 17);
  const RowId id = guarded.store.insert_trial(trial(guarded.submitted.id, guarded.experiment.id));
  Outcome outcome = exited(1);
  outcome.message = hostile;
  guarded.store.finish_trial(id, outcome, failed(hostile), "rules");
  const TrialRow row = guarded.store.trial(id).value();
  CHECK(row.diagnosis->failure->message.find('\xff') == std::string::npos);
  CHECK(row.diagnosis->failure->message.find("</script>") != std::string::npos);
}

TEST_CASE("store: processes that make one store at the same time all write, and nothing is lost",
          "[results]") {
  const Folder folder;
  constexpr int kEach = 40;
  std::vector<pid_t> writers;
  for (int i = 0; i < 3; ++i) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      try {
        Store store(folder.path / "s", Store::Mode::write);
        for (int n = 0; n < kEach; ++n) store.submit(campaign(std::to_string(i) + "-" + std::to_string(n)));
        ::_exit(0);
      } catch (const Error&) {
        ::_exit(1);
      }
    }
    writers.push_back(pid);
  }
  for (const pid_t pid : writers) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
  CHECK(Store(folder.path / "s", Store::Mode::read).campaigns().size() == 3 * kEach);
}

TEST_CASE("store: a cancelled or blocked campaign submitted again is queued again, a done one is not",
          "[results]") {
  Guarded guarded;
  const RowId id = guarded.submitted.id;
  guarded.store.set_campaign_state(id, "cancelled");
  guarded.store.submit(campaign());
  CHECK(guarded.store.campaign(id)->state == "queued");
  guarded.experiment.state = "answered";
  guarded.store.set_experiment(guarded.experiment);
  guarded.store.set_campaign_state(id, "complete");
  guarded.store.submit(campaign());
  CHECK(guarded.store.campaign(id)->state == "complete");
  NewCampaign fresh = campaign();
  fresh.fresh = true;
  guarded.store.submit(fresh);
  CHECK(guarded.store.campaign(id)->state == "queued");
  CHECK(guarded.store.campaign(id)->fresh_after == guarded.ended);
  CHECK(guarded.store.experiments(id).at(0).state == "queued");
}
