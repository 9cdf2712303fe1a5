#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "results/report.hpp"
#include "results/store.hpp"

namespace brink::test {

/// A folder of the test's own, removed with it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "brink-results.XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

inline NewCampaign campaign(const std::string& name = "c", const std::string& digest = "d") {
  NewCampaign made;
  made.name = name;
  made.digest = digest;
  made.json =
      R"({"toolchain":{"name":"toy"},"target":{"kind":0,"value":"","group":""},"model":[["layers","4"]]})";
  made.experiments = {{"depth", "threshold"}};
  return made;
}

inline NewTrial trial(RowId campaign_row, RowId experiment, const std::string& config = R"({"n":5})") {
  NewTrial made;
  made.campaign = campaign_row;
  made.experiment = experiment;
  made.config = config;
  made.key = "key" + config;
  made.family = "family";
  made.parts = R"([{"name":"arguments","value":"x"}])";
  made.attempt = "a";
  made.purpose = "search";
  made.commands = R"([["sh","try.sh","5"]])";
  made.host = "host";
  made.brink_version = "0";
  return made;
}

inline Outcome exited(int code) {
  Outcome outcome;
  outcome.trial = "1";
  outcome.attempt = "a";
  StageOutcome stage;
  stage.name = "run";
  stage.exit_code = code;
  outcome.stages = {stage};
  outcome.wall_s = 1.5;
  outcome.started_ms = 1;
  outcome.ended_ms = 2;
  return outcome;
}

inline Diagnosis failed(const std::string& message = "error: too deep") {
  Diagnosis diagnosis;
  diagnosis.kind = Diagnosis::Kind::failed;
  diagnosis.failure = Failure{};
  diagnosis.failure->failure_class = "topology";
  diagnosis.failure->signature = "0123456789abcdef";
  diagnosis.failure->message = message;
  diagnosis.failure->conflicts = {{"tbt", "input_layer2", "bucket_1", "ew_add3", "bucket_0", 0, "mask add"}};
  return diagnosis;
}

/// A threshold at 2^64-1, the largest there is.
inline ExperimentReport threshold() {
  ExperimentReport report;
  report.name = "depth";
  report.kind = "threshold";
  report.state = "answered";
  Answer& answer = report.answer;
  answer.kind = AnswerKind::threshold;
  answer.answered = true;
  answer.axis = "n";
  answer.last_good = "18446744073709551614";
  answer.first_bad = "18446744073709551615";
  answer.confidence = 0.996;
  answer.signature = "0123456789abcdef";
  answer.intervals = {{"1", "18446744073709551614", Verdict::good, "", 14},
                      {"18446744073709551615", "18446744073709551615", Verdict::bad, "0123456789abcdef", 10}};
  answer.holes = {11, 0, 0.24, 0.95};
  answer.skipped = {{"40", "too-many-scs"}};
  answer.warnings = {"from the search"};
  report.failure = ReportFailure{"topology", "0123456789abcdef", "message", "cause"};
  report.trials = 26;
  report.probed = 24;
  report.warnings = {"from the runner"};
  return report;
}

}  // namespace brink::test
