#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/report.hpp"

namespace brink {

namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

ReportTrial report_trial(const TrialRow& row, const TellRow& tell) {
  ReportTrial trial;
  trial.id = row.id;
  trial.config = row.made.config;
  trial.purpose = row.made.purpose;
  trial.started_ms = row.started_ms;
  trial.verdict = tell.verdict;
  trial.why = tell.why;
  trial.reused = tell.reused;
  if (row.outcome) {
    trial.outcome = ending_text(row.outcome->ending);
    trial.early = row.outcome->ending == Ending::stopped_early;
    trial.wall_s = row.outcome->wall_s;
    trial.peak_memory_bytes = row.outcome->peak_memory_bytes;
  }
  if (row.diagnosis && row.diagnosis->failure) {
    trial.failure_class = row.diagnosis->failure->failure_class;
    trial.signature = row.diagnosis->failure->signature;
    trial.message = row.diagnosis->failure->message;
  }
  return trial;
}

ExperimentReport result_of(const ExperimentRow& row) {
  ExperimentReport result;
  if (!row.answer.empty()) result = experiment_from_json(row.answer);
  result.name = row.name;
  result.kind = row.kind;
  result.state = row.state;
  return result;
}

std::string described_target(const nlohmann::json& object) {
  Target target;
  target.kind = static_cast<Target::Kind>(object.value("kind", 0));
  target.value = object.value("value", "");
  target.group = object.value("group", "");
  return target_text(target) + (target.group.empty() ? "" : " in " + target.group);
}

/// What the campaign's JSON says of toolchain, target and model, for people.
void describe(const std::string& json, Report& report) {
  const auto campaign = nlohmann::json::parse(json, nullptr, false);
  if (!campaign.is_object()) return;
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  if (campaign.contains("toolchain") && campaign["toolchain"].contains("name"))
    report.toolchain = text(campaign["toolchain"]["name"]);
  if (campaign.contains("target")) report.target = described_target(campaign["target"]);
  if (campaign.contains("model") && campaign["model"].is_array())
    for (const auto& field : campaign["model"])
      if (field.is_array() && field.size() == 2)
        report.model += (report.model.empty() ? "" : " ") + text(field[0]) + "=" + text(field[1]);
}

ReportedExperiment reported(const Store& store, const ExperimentRow& row, Report& report) {
  ReportedExperiment one;
  one.result = result_of(row);
  const auto trials = store.trials_told(row.id);
  const auto tells = store.tells(row.id);
  for (std::size_t i = 0; i < trials.size() && i < tells.size(); ++i) {
    one.trials.push_back(report_trial(trials[i], tells[i]));
    add_once(report.hosts, trials[i].made.host);
    add_once(report.brink_versions, trials[i].made.brink_version);
    const auto& identity = trials[i].made.identity;
    const bool known = std::any_of(one.identities.begin(), one.identities.end(),
                                   [&](const ReportIdentity& other) { return other.text == identity; });
    if (!known) one.identities.push_back({trials[i].id, identity});
    one.result.stand_in = one.result.stand_in || (trials[i].diagnosis && trials[i].diagnosis->stand_in);
  }
  return one;
}

}  // namespace

Report make_report(const Store& store, const CampaignRow& campaign) {
  Report report;
  report.brink = BRINK_VERSION;
  report.campaign = campaign.name;
  report.revision = campaign.revision;
  report.campaign_state = campaign.state;
  report.submitted_ms = campaign.submitted_ms;
  describe(campaign.json, report);
  bool complete = true;
  for (const ExperimentRow& row : store.experiments(campaign.id)) {
    report.experiments.push_back(reported(store, row, report));
    complete = complete && row.state == "answered";
    report.stand_in = report.stand_in || report.experiments.back().result.stand_in;
  }
  report.state = complete ? "complete" : "partial";
  return report;
}

}  // namespace brink
