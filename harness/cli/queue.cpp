#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "harness/campaign/campaign.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/work.hpp"
#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink::cli {

namespace {

using nlohmann::ordered_json;

std::vector<OptionSpec> with_store_options(std::vector<OptionSpec> options) {
  const auto store = store_options();
  options.insert(options.end(), store.begin(), store.end());
  return options;
}

std::string only_argument(const Options& options, const std::string& what) {
  if (options.positional().size() != 1)
    throw usage_error("takes one " + what, "", "given: " + std::to_string(options.positional().size()));
  return options.positional().front();
}

CampaignRow named_campaign(const Store& store, const std::string& name) {
  if (const auto row = store.campaign(name)) return *row;
  std::vector<std::string> names;
  for (const CampaignRow& row : store.campaigns()) names.push_back(row.name);
  throw usage_error("there is no campaign " + for_terminal(name) + did_you_mean(name, names));
}

/// pause and resume: one campaign to one state, when it is in one of `from`.
int change_state(const Options& options, const std::vector<std::string>& from, const std::string& to) {
  Store store(store_folder(options), Store::Mode::write);
  const CampaignRow row = named_campaign(store, only_argument(options, "campaign"));
  if (std::find(from.begin(), from.end(), row.state) == from.end())
    throw usage_error("campaign " + for_terminal(row.name) + " is " + row.state, "", "nothing was changed");
  store.set_campaign_state(row.id, to);
  if (options.has("json"))
    fmt::print("{}\n", ordered_json{{"schema", "brink.campaign/1"},
                                    {"name", to_utf8(row.name)},
                                    {"revision", row.revision},
                                    {"state", to}}
                           .dump());
  else
    fmt::print(stderr, "{} is {}\n", for_terminal(row.name), to);
  return 0;
}

void cancel_trial(Store& store, RowId id) {
  const auto trial = store.trial(id);
  if (!trial) throw usage_error("there is no trial " + std::to_string(id));
  if (trial->state != "running")
    throw usage_error("trial " + std::to_string(id) + " has ended", "", "nothing was changed");
  write_file(store.trial_folder(id) / "cancel", "");
}

void cancel_campaign(Store& store, const CampaignRow& row) {
  if (row.state == "complete" || row.state == "cancelled" || row.state == "superseded")
    throw usage_error("campaign " + for_terminal(row.name) + " is " + row.state, "", "nothing was changed");
  store.set_campaign_state(row.id, "cancelled");
  for (ExperimentRow experiment : store.experiments(row.id)) {
    if (experiment.state != "queued" && experiment.state != "running") continue;
    experiment.state = "cancelled";
    store.set_experiment(experiment);
  }
  for (const TrialRow& trial : store.running_trials())
    if (trial.made.campaign == row.id) write_file(store.trial_folder(trial.id) / "cancel", "");
}

/// The exit code over all campaigns that this runner worked.
int worst(const Store& store, const std::vector<RowId>& campaigns) {
  int code = 0;
  for (const RowId id : campaigns) code = std::max(code, exit_code_of(store, id));
  return code;
}

int continue_queue(Store& store, const Options& options) {
  std::vector<RowId> ids;
  int slots = 1;
  for (const CampaignRow& row : store.runnable()) {
    ids.push_back(row.id);
    slots = std::max(slots, row.slots);
  }
  Session session(store, slots, options.has("json"), "brink run");
  const auto interrupted = session.work(std::nullopt);
  auto reports = ordered_json::array();
  for (const RowId id : ids) {
    const auto row = store.campaign(id);
    if (!row) continue;
    if (options.has("json"))
      reports.push_back(ordered_json::parse(report_json(make_report(store, *row))));
    else
      for (const auto& experiment : make_report(store, *row).experiments)
        fmt::print("{}\n", join(answer_lines(experiment.result), "\n"));
  }
  if (options.has("json"))
    fmt::print("{}\n", ordered_json{{"schema", "brink.reports/1"}, {"reports", reports}}.dump());
  else if (ids.empty())
    fmt::print(stderr, "nothing is queued\n");
  return interrupted ? *interrupted : worst(store, ids);
}

}  // namespace

const Usage& submit_usage() {
  static const Usage usage{"submit FILE [options]", "Queues a campaign file; `brink run` works it.",
                           with_store_options({{"fresh", 0, "", "do not use stored trials", false}}), "",
                           false};
  return usage;
}

int submit_command(const Options& options) {
  const std::filesystem::path file = only_argument(options, "campaign file");
  const auto folder = store_folder(options);
  const Campaign campaign = load_campaign(file, toolchain_folders(folder));
  Store store(folder, Store::Mode::write);
  const Submitted submitted = store.submit(row_of(campaign, options.has("fresh")));
  if (options.has("json"))
    fmt::print("{}\n", ordered_json{{"schema", "brink.submitted/1"},
                                    {"name", to_utf8(campaign.name)},
                                    {"revision", submitted.revision},
                                    {"existed", submitted.existed}}
                           .dump());
  else
    fmt::print(stderr, "{} revision {} {}\n", for_terminal(campaign.name), submitted.revision,
               submitted.existed ? "was there already" : "is queued; `brink run` works it");
  return 0;
}

const Usage& run_usage() {
  static const Usage usage{
      "run [FILE] [options]", "Submits a campaign file and works it; without FILE, continues the queue.",
      with_store_options({{"fresh", 0, "", "do not use stored trials", false}}), "", false};
  return usage;
}

int run_command(const Options& options) {
  const auto folder = store_folder(options);
  if (options.positional().empty()) {
    Store store(folder, Store::Mode::write);
    return continue_queue(store, options);
  }
  const Campaign campaign = load_campaign(only_argument(options, "campaign file"), toolchain_folders(folder));
  Store store(folder, Store::Mode::write);
  return work_and_report(store, campaign, options.has("fresh"), options.has("json"), false,
                         "brink run " + campaign.name);
}

const Usage& cancel_usage() {
  static const Usage usage{"cancel CAMPAIGN|TRIAL [options]",
                           "Ends a campaign, or a running trial (which is then no evidence).",
                           with_store_options({}), "", false};
  return usage;
}

int cancel_command(const Options& options) {
  const std::string what = only_argument(options, "campaign or trial");
  Store store(store_folder(options), Store::Mode::write);
  const auto id = parse_int(what);
  if (id && !store.campaign(what))
    cancel_trial(store, static_cast<RowId>(*id));
  else
    cancel_campaign(store, named_campaign(store, what));
  if (options.has("json"))
    fmt::print("{}\n", ordered_json{{"schema", "brink.cancelled/1"}, {"cancelled", to_utf8(what)}}.dump());
  else
    fmt::print(stderr, "{} is cancelled\n", for_terminal(what));
  return 0;
}

const Usage& pause_usage() {
  static const Usage usage{"pause CAMPAIGN [options]",
                           "Starts nothing more for a campaign; what runs goes on.", with_store_options({}),
                           "", false};
  return usage;
}

int pause_command(const Options& options) { return change_state(options, {"queued", "running"}, "paused"); }

const Usage& resume_usage() {
  static const Usage usage{"resume CAMPAIGN [options]", "Puts a paused campaign back into the queue.",
                           with_store_options({}), "", false};
  return usage;
}

int resume_command(const Options& options) { return change_state(options, {"paused"}, "queued"); }

}  // namespace brink::cli
