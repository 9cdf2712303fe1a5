#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "tests/unit/results/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

/// One report of every kind of answer.
std::vector<ExperimentReport> every_kind() {
  std::vector<ExperimentReport> all;
  for (const AnswerKind kind :
       {AnswerKind::none, AnswerKind::threshold, AnswerKind::nothing_fails, AnswerKind::everything_fails,
        AnswerKind::intervals, AnswerKind::only_other_failures, AnswerKind::bracket, AnswerKind::sweep}) {
    for (const char* state : {"answered", "inconclusive", "blocked", "running", "queued", "cancelled"}) {
      ExperimentReport report = threshold();
      report.answer.kind = kind;
      report.state = state;
      report.answer.answered = report.state == "answered";
      if (kind == AnswerKind::none || kind == AnswerKind::nothing_fails) report.failure.reset();
      if (kind == AnswerKind::none) report.answer.last_good = report.answer.first_bad = std::nullopt;
      if (kind == AnswerKind::sweep)
        report.answer.points = {{R"({"n":1})", Verdict::good, "", ""}, {R"({"n":2})", std::nullopt, "", ""}};
      all.push_back(report);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("report: JSON has the keys of the contract, in order, and integers are exact beyond 2^53",
          "[results]") {
  const std::string json = experiment_to_json(threshold());
  CHECK(json.find(R"("first_bad":18446744073709551615)") != std::string::npos);
  CHECK(json.find('\n') == std::string::npos);
  std::size_t at = 0;
  for (const char* key :
       {"\"name\"", "\"kind\"", "\"state\"", "\"answer\"", "\"axis\"", "\"last_good\"", "\"first_bad\"",
        "\"confidence\"", "\"failure\"", "\"intervals\"", "\"holes\"", "\"trials\"", "\"probed\"",
        "\"reused\"", "\"skipped\"", "\"seconds\"", "\"warnings\""}) {
    const std::size_t found = json.find(key, at);
    INFO(key);
    REQUIRE(found != std::string::npos);
    at = found;
  }
}

TEST_CASE("report: what was written is read back, for every kind and state", "[results]") {
  for (const ExperimentReport& report : every_kind()) {
    const ExperimentReport again = experiment_from_json(experiment_to_json(report));
    CHECK(again.answer.kind == report.answer.kind);
    CHECK(again.answer.first_bad == report.answer.first_bad);
    CHECK(again.answer.intervals == report.answer.intervals);
    CHECK(again.answer.points == report.answer.points);
    CHECK(again.failure == report.failure);
    CHECK(again.warnings == std::vector<std::string>{"from the search", "from the runner"});
  }
  for (const char* text : {"", "{}", "[]", R"({"name":"x"})"})
    CHECK_THROWS_AS(experiment_from_json(text), Error);
}

TEST_CASE("report: three lines answer, whatever the answer is", "[results]") {
  for (const ExperimentReport& report : every_kind()) {
    const auto lines = answer_lines(report);
    REQUIRE(lines.size() == 3);
    for (const std::string& line : lines) {
      CHECK_FALSE(line.empty());
      CHECK(line.find('\n') == std::string::npos);
    }
    CHECK(lines[0].find("depth") == 0);
  }
  const auto lines = answer_lines(threshold());
  CHECK(lines[0] ==
        "depth: fails from n=18446744073709551615 (18446744073709551614 compiles), confidence 99.6 %");
  CHECK(lines[1] == "cause: cause");
  CHECK(lines[2].find("no violation in 11 random probes: a hole share over 24 % is excluded at 95 %") !=
        std::string::npos);
}

TEST_CASE("report: a confidence below one never reads as certainty", "[results]") {
  ExperimentReport report = threshold();
  report.answer.confidence = 0.99999999;
  CHECK(answer_lines(report)[0].find("100") == std::string::npos);
}

TEST_CASE("report: what a compiler wrote reaches neither the terminal nor the JSON raw", "[results]") {
  ExperimentReport report = threshold();
  const std::string hostile("\x1b[31m\xff\x00\n\xe2\x80\xae", 12);
  report.failure->message = report.failure->cause = hostile;
  report.warnings = {hostile};
  Report whole;
  whole.campaign = hostile;
  whole.experiments = {{report, {}, {{1, hostile}}}};
  for (const std::string& text : {report_text(whole), report_markdown(whole), answer_lines(report)[1]}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
    CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  }
  CHECK(nlohmann::json::parse(report_json(whole)).at("schema") == "brink.report/1");
}

TEST_CASE("report: is made from the store, and says partial until every experiment is answered",
          "[results]") {
  const Folder folder;
  Store store(folder.path / "s", Store::Mode::write);
  const Submitted submitted = store.submit(campaign());
  ExperimentRow row = store.experiments(submitted.id).at(0);
  const RowId id = store.insert_trial(trial(submitted.id, row.id));
  Diagnosis diagnosis = failed();
  diagnosis.stand_in = true;
  store.finish_trial(id, exited(1), diagnosis, "rules");
  store.tell({row.id, id, "bad", "topology", false});
  CHECK(make_report(store, *store.campaign(submitted.id)).state == "partial");
  row.state = "answered";
  row.answer = experiment_to_json(threshold());
  store.set_experiment(row);
  const Report report = make_report(store, *store.campaign(submitted.id));
  CHECK(report.state == "complete");
  CHECK(report.stand_in);
  CHECK(report.target == "any");
  CHECK(report.model == "layers=4");
  REQUIRE(report.experiments.at(0).trials.size() == 1);
  const std::string text = report_text(report);
  CHECK(text.find("stand-in") != std::string::npos);
  CHECK(text.find("brink show 1") != std::string::npos);
  CHECK(text.find("brink rerun 1") != std::string::npos);
}

TEST_CASE("report: Markdown of a hostile message holds no markup outside of code", "[results]") {
  const Folder folder;
  Store store(folder.path / "s", Store::Mode::write);
  ExperimentRow row = store.experiments(store.submit(campaign()).id).at(0);
  ExperimentReport hostile = threshold();
  hostile.failure->cause = "";
  hostile.failure->message = "<img src=x> ![a](http://b) @someone `c` | d";
  hostile.warnings = {"<script>alert(1)</script>"};
  row.state = "answered";
  row.answer = experiment_to_json(hostile);
  store.set_experiment(row);
  const Report report = make_report(store, *store.campaign("c"));
  const std::string text = report_markdown(report);
  for (const char* markup : {"<img", "![a](", "@someone", " `c`", "<script>"}) {
    INFO(markup);
    CHECK(text.find(markup) == std::string::npos);
  }
  CHECK(report_text(report).find("<img src=x> ![a](http://b) @someone `c` | d") != std::string::npos);
}
