#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/one_liner.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/work.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

/// `git bisect run` reads 0, 1..124 and 125; 128 and above make it stop.
constexpr int kGood = 0, kBad = 1, kSkip = 125, kNoVerdict = 128;

int code_of(const Judgement& judgement) {
  if (!judgement.evidence) return kNoVerdict;
  switch (judgement.verdict) {
    case Verdict::good:
      return kGood;
    case Verdict::bad:
      return kBad;
    case Verdict::skip:
      return kSkip;
  }
  return kNoVerdict;
}

void print(const TrialRow& trial, const Evidence& evidence, bool json) {
  const auto& failure = evidence.diagnosis.failure;
  const std::string verdict =
      evidence.judgement.evidence ? std::string(verdict_text(evidence.judgement.verdict)) : "none";
  if (json) {
    nlohmann::ordered_json object = {{"schema", "brink.probe/1"}, {"trial", trial.id}, {"verdict", verdict}};
    object["config"] = nlohmann::ordered_json::parse(trial.made.config);
    object["class"] = failure ? to_utf8(failure->failure_class) : "";
    object["signature"] = failure ? failure->signature : "";
    object["message"] = failure ? to_utf8(failure->message) : "";
    fmt::print("{}\n", object.dump());
    return;
  }
  fmt::print("{}: {}{}\n", for_terminal(config_from_canonical(trial.made.config).text()), verdict,
             failure ? " (" + for_terminal(failure->failure_class + ": " + failure->message) + ")" : "");
}

}  // namespace

const Usage& probe_usage() {
  static const Usage usage = [] {
    auto options = command_options();
    options.push_back({"cached", 0, "", "a stored trial will do", false});
    return Usage{
        "probe NAME=VALUE… [options] -- COMMAND [ARGUMENT…]",
        "One trial of one config: exits 0 good, 1 bad, 125 skip, 128 no verdict (a `git bisect run` script).",
        options, "", true};
  }();
  return usage;
}

int probe_command(const Options& options) {
  std::vector<std::string> warnings;
  const Campaign campaign = ad_hoc_campaign(ExperimentKind::sweep, options, warnings);
  const Experiment& experiment = campaign.experiments.front();
  for (const Axis& axis : experiment.axes)
    if (axis.size() != 1)
      throw usage_error("probe takes one value", "axis " + axis.name(), "write " + axis.name() + "=VALUE");
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", for_terminal(warning));
  Store store(store_folder(options), Store::Mode::write);
  const bool json = options.has("json");
  Session session(store, 1, json, "brink probe (" + campaign.name + ")");
  const Submitted submitted = store.submit(row_of(campaign, false));
  const auto rows = store.experiments(submitted.id);
  Evidence evidence;
  std::optional<TrialRow> trial;
  if (options.has("cached")) {
    requeue(store, submitted.id);
    if (const auto interrupted = session.work(submitted.id)) return *interrupted;
    for (const TellRow& tell : store.tells(rows.at(0).id)) trial = store.trial(tell.trial);
  } else {
    const Config config = config_of(campaign, experiment, Point(experiment.axes.size(), 0));
    trial = session.execute(submitted.id, rows.at(0).id, config, "probe");
    if (session.interruption() != 0) return session.interruption();
    store.set_campaign_state(submitted.id, "complete");
  }
  if (!trial) throw infrastructure_error("the probe was blocked; see brink report " + campaign.name);
  evidence = evidence_of(*trial, campaign, store.trial_folder(trial->id));
  print(*trial, evidence, json);
  if (!evidence.judgement.evidence && evidence.diagnosis.failure && !json)
    fmt::print(stderr, "brink: no verdict: {}\n", for_terminal(evidence.diagnosis.failure->message));
  return code_of(evidence.judgement);
}

}  // namespace brink::cli
