#include "results/listing.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/results/made.hpp"

using namespace brink;
using namespace brink::test;
using nlohmann::json;

TEST_CASE("listing: trials JSON has the fields of the contract, oldest first", "[results]") {
  const Folder folder;
  Store store(folder.path / "s", Store::Mode::write);
  const Submitted submitted = store.submit(campaign());
  const RowId experiment = store.experiments(submitted.id).at(0).id;
  const RowId first = store.insert_trial(trial(submitted.id, experiment, R"({"n":18446744073709551615})"));
  store.finish_trial(first, exited(1), failed("\x1b[31m bad \xff"), "rules");
  store.insert_trial(trial(submitted.id, experiment));
  const json object = json::parse(trials_json(store, std::nullopt, -1));
  CHECK(object.at("schema") == "brink.trials/1");
  REQUIRE(object.at("trials").size() == 2);
  for (const json& one : object.at("trials"))
    for (const char* key : {"id", "campaign", "experiment", "config", "key", "state", "outcome", "class",
                            "signature", "verdict", "early", "started", "wall_s", "peak_memory_bytes", "log"})
      CHECK(one.contains(key));
  CHECK(object["trials"][0]["config"]["n"] == 18446744073709551615ULL);
  CHECK(object["trials"][0]["state"] == "ended");
  CHECK(object["trials"][1]["outcome"].is_null());
  CHECK(json::parse(trials_json(store, "c", 1)).at("trials").size() == 1);
  for (const std::string& text :
       {trials_text(store, std::nullopt, -1), trial_text(store, *store.trial(first))})
    CHECK(text.find('\x1b') == std::string::npos);
  const json shown = json::parse(trial_json(store, *store.trial(first)));
  CHECK(shown.at("failure").at("conflicts").at(0).at("role") == "mask add");
}

TEST_CASE("listing: queued work that nobody works is shown as such", "[results]") {
  const Folder folder;
  Store store(folder.path / "s", Store::Mode::write);
  store.submit(campaign());
  CHECK(status_text(store).find("no runner") != std::string::npos);
  CHECK(json::parse(status_json(store)).at("runner").is_null());
  const Descriptor lock = store.lock_runner("brink run");
  CHECK(status_text(store).find("brink run") != std::string::npos);
  CHECK(json::parse(status_json(store)).at("campaigns").at(0).at("state") == "queued");
}
