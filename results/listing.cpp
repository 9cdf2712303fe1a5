#include "results/listing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/config.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

using nlohmann::ordered_json;

std::string safe(const std::string& text, std::size_t most = 500) {
  return shorten(for_terminal(text), most);
}

std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<TrialRow> listed(const Store& store, const std::optional<std::string>& campaign, int most) {
  std::vector<TrialRow> rows;
  if (!campaign) {
    rows = store.recent_trials(most);
    std::reverse(rows.begin(), rows.end());
    return rows;
  }
  for (const CampaignRow& revision : store.campaigns()) {
    if (revision.name != *campaign) continue;
    const auto more = store.trials_of_campaign(revision.id);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::sort(rows.begin(), rows.end(), [](const TrialRow& a, const TrialRow& b) { return a.id < b.id; });
  if (most >= 0 && rows.size() > static_cast<std::size_t>(most))
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most));
  return rows;
}

const Failure* failure_of(const TrialRow& trial) {
  return trial.diagnosis && trial.diagnosis->failure ? &*trial.diagnosis->failure : nullptr;
}

std::filesystem::path log_of(const Store& store, RowId trial) {
  const auto folder = store.trial_folder(trial);
  std::error_code error;
  return std::filesystem::exists(folder / "log.zst", error) ? folder / "log.zst" : folder / "log";
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(to_utf8(text));
}

ordered_json object_of(const Store& store, const TrialRow& trial) {
  const Failure* failure = failure_of(trial);
  ordered_json object = {{"id", trial.id},
                         {"campaign", to_utf8(trial.campaign_name)},
                         {"experiment", to_utf8(trial.experiment_name)}};
  object["config"] = ordered_json::parse(trial.made.config, nullptr, false);
  object["key"] = trial.made.key;
  object["state"] = trial.state;
  object["outcome"] = trial.outcome ? ordered_json(ending_text(trial.outcome->ending)) : ordered_json();
  object["class"] = failure != nullptr ? text_or_null(failure->failure_class) : ordered_json();
  object["signature"] = failure != nullptr ? text_or_null(failure->signature) : ordered_json();
  object["verdict"] = text_or_null(trial.verdict);
  object["early"] = trial.outcome && trial.outcome->ending == Ending::stopped_early;
  object["started"] = trial.started_ms;
  object["wall_s"] = trial.outcome ? ordered_json(trial.outcome->wall_s) : ordered_json();
  object["peak_memory_bytes"] =
      trial.outcome ? ordered_json(trial.outcome->peak_memory_bytes) : ordered_json();
  object["log"] = to_utf8(log_of(store, trial.id).string());
  object["purpose"] = trial.made.purpose;
  object["message"] = failure != nullptr ? text_or_null(failure->message) : ordered_json();
  return object;
}

std::string commands_text(const std::string& json) {
  const auto commands = nlohmann::json::parse(json, nullptr, false);
  if (!commands.is_array()) return "";
  std::string text;
  for (const auto& argv : commands)
    if (argv.is_array()) text += "  " + safe(shell_text(argv.get<std::vector<std::string>>()), 4000) + "\n";
  return text;
}

std::string parts_text(const std::string& json) {
  const auto parts = nlohmann::json::parse(json, nullptr, false);
  if (!parts.is_array()) return "";
  std::string text;
  for (const auto& part : parts)
    text +=
        fmt::format("  {:<24} {}\n", safe(part.value("name", ""), 60), safe(part.value("value", ""), 200));
  return text;
}

std::string outcome_text(const Outcome& outcome) {
  std::string text = fmt::format("outcome: {}, wall {}, cpu {}, peak memory {}\n",
                                 ending_text(outcome.ending), duration_text(outcome.wall_s),
                                 duration_text(outcome.cpu_s), bytes_text(outcome.peak_memory_bytes));
  if (!outcome.message.empty()) text += "  " + safe(outcome.message) + "\n";
  for (const StageOutcome& stage : outcome.stages) {
    text += fmt::format("  stage {:<12} {}", safe(stage.name, 40), ending_text(stage.ending));
    if (stage.exit_code) text += fmt::format(", exit code {}", *stage.exit_code);
    if (stage.signal) text += fmt::format(", signal {}", *stage.signal);
    if (!stage.killed_by.empty()) text += ", ended by " + safe(stage.killed_by);
    text += fmt::format(", {}\n", duration_text(stage.wall_s));
  }
  if (!outcome.enforced.empty()) text += "  enforced: " + safe(join(outcome.enforced, ", ")) + "\n";
  if (outcome.log_cut_bytes > 0)
    text += fmt::format("  {} of {} of log were cut\n", bytes_text(outcome.log_cut_bytes),
                        bytes_text(outcome.log_bytes));
  return text;
}

std::string failure_text(const Failure& failure) {
  std::string text = fmt::format("failure: {} (signature {})\n  {}\n", safe(failure.failure_class),
                                 failure.signature, safe(failure.message, 1000));
  if (!failure.cause.empty() && failure.cause != failure.message)
    text += "  cause: " + safe(failure.cause) + "\n";
  for (const Conflict& conflict : failure.conflicts)
    text +=
        fmt::format("  {} {} ({}) later than {} ({}){}\n", safe(conflict.group), safe(conflict.node),
                    safe(conflict.bucket), safe(conflict.successor), safe(conflict.successor_bucket),
                    conflict.layer ? fmt::format("  layer {} {}", *conflict.layer, safe(conflict.role)) : "");
  if (!failure.excerpt.empty())
    text +=
        "excerpt:\n" + for_terminal(failure.excerpt, true) + (failure.excerpt.ends_with('\n') ? "" : "\n");
  return text;
}

struct Underway {
  RowId trial;
  std::string config, campaign;
  double seconds;
};

std::vector<Underway> underway(const Store& store) {
  std::vector<Underway> all;
  for (const TrialRow& trial : store.running_trials())
    all.push_back({trial.id, trial.made.config, trial.campaign_name,
                   static_cast<double>(epoch_ms() - trial.started_ms) / 1e3});
  return all;
}

/// What a person should know of a state: queued work that nobody works, say.
std::string state_text(const CampaignRow& row, bool runner) {
  if (!runner && (row.state == "queued" || row.state == "running"))
    return row.state + ", no runner (`brink run` works it)";
  return row.state;
}

}  // namespace

std::string trials_json(const Store& store, const std::optional<std::string>& campaign, int most) {
  ordered_json object = {{"schema", "brink.trials/1"}, {"trials", ordered_json::array()}};
  for (const TrialRow& trial : listed(store, campaign, most))
    object["trials"].push_back(object_of(store, trial));
  return dump(object);
}

std::string trials_text(const Store& store, const std::optional<std::string>& campaign, int most) {
  std::string text = fmt::format("{:>6}  {:<20} {:<28} {:<14} {:<7} {:<18} {:>9}\n", "trial", "campaign",
                                 "config", "outcome", "verdict", "class", "time");
  for (const TrialRow& trial : listed(store, campaign, most)) {
    const Failure* failure = failure_of(trial);
    text +=
        fmt::format("{:>6}  {:<20} {:<28} {:<14} {:<7} {:<18} {:>9}\n", trial.id,
                    safe(trial.campaign_name, 20), safe(config_from_canonical(trial.made.config).text(), 28),
                    trial.outcome ? std::string(ending_text(trial.outcome->ending)) : "running",
                    trial.verdict, failure != nullptr ? safe(failure->failure_class, 18) : "",
                    trial.outcome ? duration_text(trial.outcome->wall_s) : "");
  }
  return text;
}

std::string trial_text(const Store& store, const TrialRow& trial) {
  std::string text =
      fmt::format("trial {} of {} / {} ({}), started {} UTC\n", trial.id, safe(trial.campaign_name),
                  safe(trial.experiment_name), trial.made.purpose, utc_text(trial.started_ms));
  text += "config: " + safe(config_from_canonical(trial.made.config).text(), 2000) + "\n";
  if (!trial.verdict.empty()) text += "verdict: " + trial.verdict + "\n";
  if (trial.diagnosis && trial.diagnosis->stand_in) text += "made with a stand-in compiler\n";
  if (trial.outcome)
    text += outcome_text(*trial.outcome);
  else
    text += fmt::format("running for {}\n",
                        duration_text(static_cast<double>(epoch_ms() - trial.started_ms) / 1e3));
  if (const Failure* failure = failure_of(trial)) text += failure_text(*failure);
  if (trial.diagnosis)
    for (const std::string& note : trial.diagnosis->notes) text += "note: " + safe(note) + "\n";
  text += "commands:\n" + commands_text(trial.made.commands);
  text += "key " + trial.made.key + ", made of:\n" + parts_text(trial.made.parts);
  text += fmt::format("log: {}\n", safe(log_of(store, trial.id).string(), 4000));
  text +=
      fmt::format("\nfollow its log: brink logs {}\nrun it again:   brink rerun {}\n", trial.id, trial.id);
  return text;
}

std::string trial_json(const Store& store, const TrialRow& trial) {
  ordered_json object = {{"schema", "brink.trial/1"}};
  object["trial"] = object_of(store, trial);
  object["commands"] = ordered_json::parse(trial.made.commands, nullptr, false);
  object["parts"] = ordered_json::parse(trial.made.parts, nullptr, false);
  object["identity"] = to_utf8(trial.made.identity);
  object["outcome"] = trial.outcome ? ordered_json::parse(outcome_to_json(*trial.outcome)) : ordered_json();
  object["failure"] = nullptr;
  if (const Failure* failure = failure_of(trial)) {
    auto conflicts = ordered_json::array();
    for (const Conflict& conflict : failure->conflicts)
      conflicts.push_back({{"group", to_utf8(conflict.group)},
                           {"node", to_utf8(conflict.node)},
                           {"bucket", to_utf8(conflict.bucket)},
                           {"successor", to_utf8(conflict.successor)},
                           {"successor_bucket", to_utf8(conflict.successor_bucket)},
                           {"layer", conflict.layer ? ordered_json(*conflict.layer) : ordered_json()},
                           {"role", to_utf8(conflict.role)}});
    object["failure"] = {{"class", to_utf8(failure->failure_class)},
                         {"stage", to_utf8(failure->stage)},
                         {"group", to_utf8(failure->group)},
                         {"message", to_utf8(failure->message)},
                         {"cause", to_utf8(failure->cause)},
                         {"signature", failure->signature},
                         {"text_digest", failure->text_digest},
                         {"excerpt", to_utf8(failure->excerpt)},
                         {"conflicts", conflicts}};
  }
  return dump(object);
}

std::string status_text(const Store& store) {
  const auto runner = store.runner_now();
  std::string text = runner ? "runner: " + safe(*runner) + "\n" : "no runner is at work\n";
  for (const CampaignRow& row : store.campaigns()) {
    text += fmt::format("{:<28} revision {:<3} {}\n", safe(row.name, 60), row.revision,
                        state_text(row, runner.has_value()));
    if (row.state != "queued" && row.state != "running" && row.state != "paused") continue;
    for (const ExperimentRow& experiment : store.experiments(row.id))
      text +=
          fmt::format("  {:<26} {:<12} {}\n", safe(experiment.name, 60), experiment.kind, experiment.state);
  }
  for (const Underway& trial : underway(store))
    text += fmt::format("trial {} ({} {}) runs for {}\n", trial.trial, safe(trial.campaign, 60),
                        safe(config_from_canonical(trial.config).text()), duration_text(trial.seconds));
  return text;
}

std::string status_json(const Store& store) {
  const auto runner = store.runner_now();
  ordered_json object = {{"schema", "brink.status/1"}};
  object["runner"] = runner ? ordered_json(to_utf8(*runner)) : ordered_json();
  object["campaigns"] = ordered_json::array();
  for (const CampaignRow& row : store.campaigns()) {
    auto experiments = ordered_json::array();
    for (const ExperimentRow& experiment : store.experiments(row.id))
      experiments.push_back(
          {{"name", to_utf8(experiment.name)}, {"kind", experiment.kind}, {"state", experiment.state}});
    object["campaigns"].push_back({{"name", to_utf8(row.name)},
                                   {"revision", row.revision},
                                   {"state", row.state},
                                   {"priority", row.priority},
                                   {"submitted", row.submitted_ms},
                                   {"experiments", experiments}});
  }
  object["running"] = ordered_json::array();
  for (const Underway& trial : underway(store))
    object["running"].push_back({{"trial", trial.trial},
                                 {"campaign", to_utf8(trial.campaign)},
                                 {"config", ordered_json::parse(trial.config, nullptr, false)},
                                 {"seconds", trial.seconds}});
  return dump(object);
}

}  // namespace brink
