#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

RowId trial_id(const Options& options) {
  if (options.positional().size() != 1) throw usage_error("takes one trial", "", "`brink trials` lists them");
  const auto id = parse_int(options.positional().front());
  if (!id || *id < 1 || *id > INT64_MAX)
    throw usage_error("\"" + for_terminal(options.positional().front()) + "\" is not a trial's number", "",
                      "`brink trials` lists them");
  return static_cast<RowId>(*id);
}

Config changed(Config config, const std::vector<std::string>& settings) {
  std::vector<std::string> names;
  for (const auto& [name, value] : config.values) names.push_back(name);
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) throw usage_error("needs NAME=VALUE", "--set");
    const std::string name = setting.substr(0, equals);
    if (!config.values.contains(name))
      throw usage_error("the config has no " + for_terminal(name) + did_you_mean(name, names), "--set");
    config.values[name] = setting.substr(equals + 1);
  }
  return config;
}

std::string signature_of(const Evidence& evidence) {
  return evidence.diagnosis.failure ? evidence.diagnosis.failure->signature : "";
}

std::string described(const Evidence& evidence) {
  if (evidence.diagnosis.kind == Diagnosis::Kind::succeeded) return "passes";
  const auto& failure = evidence.diagnosis.failure;
  return failure ? failure->failure_class + " " + failure->signature + ": " + failure->message : "nothing";
}

/// How two failures differ, one line a thing.
std::vector<std::string> differences(const Evidence& before, const Evidence& now) {
  std::vector<std::string> lines;
  const auto compare = [&](const std::string& what, const std::string& then, const std::string& today) {
    if (then != today)
      lines.push_back(what + ": was " + (then.empty() ? "none" : then) + ", is " +
                      (today.empty() ? "none" : today));
  };
  const Failure none;
  const Failure& then = before.diagnosis.failure ? *before.diagnosis.failure : none;
  const Failure& today = now.diagnosis.failure ? *now.diagnosis.failure : none;
  compare("class", then.failure_class, today.failure_class);
  compare("stage", then.stage, today.stage);
  compare("group", then.group, today.group);
  compare("message", then.message, today.message);
  compare("conflicts", std::to_string(then.conflicts.size()), std::to_string(today.conflicts.size()));
  return lines;
}

}  // namespace

const Usage& rerun_usage() {
  static const Usage usage = [] {
    auto options = store_options();
    options.push_back({"set", 0, "NAME=VALUE", "change a parameter of the config", true});
    return Usage{
        "rerun TRIAL [--set NAME=VALUE]… [options]",
        "Executes one configuration again, fresh, and says whether the failure is the same (0) or not (6).",
        options, "", false};
  }();
  return usage;
}

int rerun_command(const Options& options) {
  const RowId id = trial_id(options);
  Store store(store_folder(options), Store::Mode::write);
  const auto before = store.trial(id);
  if (!before) throw usage_error("there is no trial " + std::to_string(id), "", "`brink trials` lists them");
  if (before->state != "ended")
    throw usage_error("trial " + std::to_string(id) + " is still running", "",
                      "`brink logs -f " + std::to_string(id) + "` follows it");
  const auto row = store.campaign(before->made.campaign);
  if (!row) throw infrastructure_error("the campaign of the trial is gone", store.folder().string());
  const Campaign campaign = campaign_from_json(row->json);
  const Config config = changed(config_from_canonical(before->made.config), options.values("set"));
  const bool json = options.has("json");
  Session session(store, 1, json, "brink rerun " + std::to_string(id));
  const auto now = session.execute(row->id, before->made.experiment, config, "rerun");
  if (!now) return session.interruption();
  const Evidence then = evidence_of(*before, campaign, store.trial_folder(before->id));
  const Evidence today = evidence_of(*now, campaign, store.trial_folder(now->id));
  const bool infrastructure = today.diagnosis.kind == Diagnosis::Kind::infrastructure;
  const bool same = !infrastructure && then.diagnosis.kind == today.diagnosis.kind &&
                    signature_of(then) == signature_of(today);
  const auto lines = same ? std::vector<std::string>{} : differences(then, today);
  if (json) {
    nlohmann::ordered_json object = {
        {"schema", "brink.rerun/1"}, {"trial", now->id}, {"of", id}, {"same", same}};
    object["config"] = nlohmann::ordered_json::parse(config.canonical());
    object["before"] = to_utf8(described(then));
    object["now"] = to_utf8(described(today));
    object["differences"] = lines;
    fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("trial {} ({}): {}\n", now->id, for_terminal(config.text()),
               same ? "the same failure" : "not the same");
    if (same && then.diagnosis.kind == Diagnosis::Kind::succeeded)
      fmt::print("both pass\n");
    else
      fmt::print("was: {}\nis:  {}\n", for_terminal(described(then)), for_terminal(described(today)));
    if (same && then.diagnosis.failure && today.diagnosis.failure &&
        then.diagnosis.failure->text_digest == today.diagnosis.failure->text_digest)
      fmt::print("byte for byte the same text\n");
    for (const std::string& line : lines) fmt::print("  {}\n", for_terminal(line));
  }
  if (infrastructure) return static_cast<int>(Exit::infrastructure);
  return static_cast<int>(same ? Exit::done : Exit::differs);
}

}  // namespace brink::cli
