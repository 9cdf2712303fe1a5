#include "harness/runner/launch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/core/text.hpp"
#include "harness/diagnosis/diagnose.hpp"

namespace brink {

namespace {

std::string new_attempt() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string parts_json(const std::vector<KeyPart>& parts) {
  auto array = nlohmann::json::array();
  for (const KeyPart& part : parts)
    array.push_back({{"name", to_utf8(part.name)}, {"value", to_utf8(part.value)}});
  return array.dump();
}

std::string commands_json(const std::vector<std::vector<std::string>>& commands) {
  return nlohmann::json(commands).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Stages that are known to have done what they should: those before the last, and the last when the trial
/// passed.
std::vector<std::string> succeeded_stages(const TrialPlan& plan, const Outcome& outcome, bool passed) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outcome.stages.size(); ++i)
    if (i + 1 < outcome.stages.size() || passed) names.push_back(outcome.stages[i].name);
  std::erase_if(names, [&](const std::string& name) {
    return std::none_of(plan.stages.begin(), plan.stages.end(),
                        [&](const auto& stage) { return stage.job.name == name; });
  });
  return names;
}

}  // namespace

NewTrial new_trial(const Planner& planner, const TrialPlan& plan, const Config& config,
                   const std::string& purpose) {
  NewTrial made;
  made.config = config.canonical();
  made.key = plan.key;
  made.parts = parts_json(plan.parts);
  made.identity = planner.identity_text();
  made.attempt = new_attempt();
  made.purpose = purpose;
  made.commands = commands_json(planner.commands(plan));
  if (!plan.stages.empty()) {
    const Limits& limits = plan.stages.back().job.limits;
    made.wall_limit_ms = limits.wall.count();
    made.memory_limit_bytes = limits.memory_bytes.value_or(0);
  }
  return made;
}

void write_job(const Job& job) {
  const auto file = job.folder / "job.json";
  std::ofstream out(file, std::ios::binary);
  out << job_to_json(job);
  out.close();
  if (!out) throw infrastructure_error("cannot be written (is the disk full?)", file.string());
}

Job stored_job(const std::filesystem::path& folder, const std::string& trial, const std::string& attempt) {
  try {
    if (const auto text = read_file_if_there(folder / "job.json")) {
      Job job = job_from_json(*text);
      if (job.trial == trial && job.attempt == attempt) {
        job.folder = folder;  // a copied store has its trials elsewhere
        return job;
      }
    }
  } catch (const Error&) {
    // Half a job.json: its writer was killed before anything started.
  }
  Job job;
  job.trial = trial;
  job.attempt = attempt;
  job.folder = folder;
  return job;
}

std::vector<std::filesystem::path> files_made(const Job& job) {
  std::vector<std::filesystem::path> made;
  const auto store = job.folder.parent_path().parent_path();
  for (const JobStage& stage : job.stages) {
    if (stage.container) continue;  // its argument vector is the engine's
    for (std::size_t i = 1; i < stage.argv.size(); ++i) {
      if (stage.argv[i].empty() || stage.argv[i].size() > 4096) continue;
      const auto file = (stage.directory / stage.argv[i]).lexically_normal();
      const bool ours = file.string().starts_with(store.string() + "/");
      const bool watched = std::any_of(job.watched.begin(), job.watched.end(),
                                       [&](const WatchedFile& input) { return input.file == file; });
      if (!ours && !watched && stamp_of(file)) made.push_back(file);
    }
  }
  return made;
}

TrialRow record_outcome(Store& store, Planner& planner, const TrialRow& row, const Outcome& outcome) {
  const Campaign& campaign = planner.campaign();
  const auto folder = store.trial_folder(row.id);
  const Diagnosis diagnosis = diagnose(campaign.toolchain.rules, outcome, folder / "log");
  store.finish_trial(row.id, outcome, diagnosis, rules_digest(campaign.toolchain.rules));
  const Job job = stored_job(folder, outcome.trial, outcome.attempt);
  for (const auto& file : files_made(job)) {
    store.add_output_file(file, row.id);
    planner.note_output(file);
  }
  if (const auto masked = planner.masked_job(job)) write_file(folder / "job.json", *masked);
  TrialRow ended = row;
  ended.state = "ended";
  ended.outcome = outcome;
  ended.diagnosis = diagnosis;
  ended.rules_digest = rules_digest(campaign.toolchain.rules);
  if (campaign.ad_hoc) return ended;
  const auto& experiments = campaign.experiments;
  const auto asked = std::find_if(experiments.begin(), experiments.end(),
                                  [&](const auto& one) { return one.name == row.experiment_name; });
  if (asked != experiments.end()) {
    const TrialPlan plan = planner.plan(*asked, config_from_canonical(row.made.config), folder);
    // Under another identity than the trial's the outputs would get a key that is not theirs.
    const bool same = plan.key == row.made.key;
    planner.keep_outputs(plan,
                         same ? succeeded_stages(plan, outcome, diagnosis.kind == Diagnosis::Kind::succeeded)
                              : std::vector<std::string>{},
                         folder);
  }
  return ended;
}

void record_unstarted(Store& store, RowId trial, const std::string& attempt, const Error& error) {
  Outcome outcome;
  outcome.trial = std::to_string(trial);
  outcome.attempt = attempt;
  outcome.ending = Ending::infrastructure;
  outcome.infrastructure = error.code();
  outcome.message = error.line();
  outcome.started_ms = outcome.ended_ms = epoch_ms();
  Diagnosis diagnosis;
  diagnosis.kind = Diagnosis::Kind::infrastructure;
  diagnosis.failure = Failure{};
  diagnosis.failure->failure_class = error.code();
  diagnosis.failure->message = for_terminal(error.line());
  store.finish_trial(trial, outcome, diagnosis, "");
}

}  // namespace brink
