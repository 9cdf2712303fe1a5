#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

using nlohmann::ordered_json;

/// More configs than this are counted, not listed.
constexpr Position kMostListed = 200;

/// One config that a search may probe, and what the store knows about it.
struct PlannedConfig {
  Config config;
  std::string key;
  RowId answered_by = 0;  ///< a usable trial, or 0
  std::string verdict;
  std::vector<std::string> differs;  ///< else: parts of the key in which the nearest stored trial differs
  RowId nearest = 0;
};

std::map<std::string, std::string> parts_of(const TrialRow& trial) {
  std::map<std::string, std::string> parts;
  const auto array = nlohmann::json::parse(trial.made.parts, nullptr, false);
  if (!array.is_array()) return parts;
  for (const auto& part : array)
    if (part.contains("name") && part.contains("value")) parts[part["name"]] = part["value"];
  return parts;
}

std::vector<std::string> differing(const std::vector<KeyPart>& parts, const TrialRow& trial) {
  auto theirs = parts_of(trial);
  std::vector<std::string> names;
  for (const KeyPart& part : parts) {
    const auto found = theirs.find(part.name);
    if (found == theirs.end())
      names.push_back(part.name + " is new");
    else if (found->second != part.value)
      names.push_back(part.name + " changed");
    if (found != theirs.end()) theirs.erase(found);
  }
  for (const auto& [name, value] : theirs) names.push_back(name + " is gone");
  return names;
}

/// Trials of the same config that stand under another key; the one that differs least.
void find_nearest(PlannedConfig& planned, const TrialPlan& plan, const std::vector<TrialRow>& trials) {
  for (const TrialRow& trial : trials) {
    if (trial.made.config != planned.config.canonical() || trial.state != "ended") continue;
    const auto names = differing(plan.parts, trial);
    if (!names.empty() && (planned.nearest == 0 || names.size() <= planned.differs.size())) {
      planned.differs = names;
      planned.nearest = trial.id;
    }
  }
}

/// Probes of a bisection with both ends, one repeat a side, and the most hole probes that the default makes.
std::string bound_of(const Experiment& experiment) {
  Position size = 1;
  for (const Axis& axis : experiment.axes) {
    if (axis.open()) return "no bound: the axis is open";
    size *= std::min<Position>(axis.size(), Position{1} << 60);
  }
  if (experiment.kind == ExperimentKind::sweep) return to_text(size);
  int probes = 0;
  for (Position rest = size; rest > 0; rest /= 2) ++probes;
  const std::string holes = experiment.holes.off ? "no hole probes" : "and 2 to 30 hole probes";
  return fmt::format("{} of a bisection, a few repeats to confirm, {}", probes + 1, holes);
}

std::vector<Point> listed_points(const Experiment& experiment) {
  std::vector<Point> points{Point{}};
  for (const Axis& axis : experiment.axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      const Position most = axis.open() ? Position{8} : axis.size();
      for (Position at = 0; at < most && static_cast<Position>(longer.size()) < kMostListed; ++at) {
        longer.push_back(point);
        longer.back().push_back(at);
      }
    }
    points = std::move(longer);
  }
  return points;
}

class Planned {
 public:
  Planned(const Store* store, Planner& planner) : store_(store), planner_(planner) {}

  const Campaign& campaign() const { return planner_.campaign(); }

  PlannedConfig look_up(const Experiment& experiment, const Config& config) {
    const TrialPlan plan = planner_.plan(experiment, config, folder());
    PlannedConfig planned{config, plan.key, 0, "", {}, 0};
    if (store_ == nullptr) return planned;
    for (const TrialRow& trial : store_->trials_of_key(plan.key)) {
      if (trial.state != "ended") continue;
      const Evidence evidence = evidence_of(trial, planner_.campaign(), store_->trial_folder(trial.id));
      if (!evidence.judgement.evidence) continue;
      planned.answered_by = trial.id;
      planned.verdict = verdict_text(evidence.judgement.verdict);
      return planned;
    }
    if (recent_.empty()) recent_ = store_->recent_trials(2000);
    find_nearest(planned, plan, recent_);
    return planned;
  }

  std::vector<std::vector<std::string>> commands(const Experiment& experiment, const Config& config) {
    return planner_.commands(planner_.plan(experiment, config, folder()));
  }

  /// Seconds of stored trials of the family, mean; 0 when there are none.
  double mean_seconds(const Experiment& experiment) {
    if (store_ == nullptr) return 0;
    double sum = 0;
    int count = 0;
    for (const TrialRow& trial : store_->trials_of_family(planner_.family(experiment))) {
      sum += trial.outcome ? trial.outcome->wall_s : 0;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

 private:
  std::filesystem::path folder() const {
    return (store_ == nullptr ? std::filesystem::path("/") : store_->folder()) / "trials" / "next";
  }

  const Store* store_;
  Planner& planner_;
  std::vector<TrialRow> recent_;
};

std::string status_of(const PlannedConfig& planned) {
  if (planned.answered_by != 0) return fmt::format("{} by trial {}", planned.verdict, planned.answered_by);
  if (planned.nearest != 0)
    return fmt::format("not tried; trial {} differs: {}", planned.nearest, join(planned.differs, ", "));
  return "not tried";
}

ordered_json json_of(const PlannedConfig& planned) {
  ordered_json object;
  object["config"] = ordered_json::parse(planned.config.canonical());
  object["key"] = planned.key;
  object["trial"] = planned.answered_by == 0 ? ordered_json() : ordered_json(planned.answered_by);
  object["verdict"] = planned.verdict;
  object["nearest"] = planned.nearest == 0 ? ordered_json() : ordered_json(planned.nearest);
  object["differs"] = planned.differs;
  return object;
}

void print_experiment(const Experiment& experiment, Planned& store, bool json, ordered_json& array) {
  const auto points = listed_points(experiment);
  auto configs = ordered_json::array();
  if (!json)
    fmt::print("{} ({}): {}\n", for_terminal(experiment.name), kind_text(experiment.kind),
               bound_of(experiment));
  std::vector<std::vector<std::string>> commands;
  const double seconds = store.mean_seconds(experiment);
  for (const Point& point : points) {
    const Config config = config_of(store.campaign(), experiment, point);
    const PlannedConfig planned = store.look_up(experiment, config);
    if (json)
      configs.push_back(json_of(planned));
    else
      fmt::print("  {:<32} {}\n", for_terminal(config_at(experiment.axes, point).text()), status_of(planned));
    if (commands.empty()) commands = store.commands(experiment, config);
  }
  if (json) {
    array.push_back({{"name", experiment.name},
                     {"kind", kind_text(experiment.kind)},
                     {"bound", bound_of(experiment)},
                     {"mean_seconds", seconds},
                     {"configs", configs},
                     {"commands", commands}});
    return;
  }
  if (seconds > 0) fmt::print("  a trial takes about {}\n", duration_text(seconds));
  fmt::print("  commands of the first config:\n");
  for (const auto& argv : commands) fmt::print("    {}\n", for_terminal(shell_text(argv)));
}

}  // namespace

const Usage& plan_usage() {
  static const Usage usage{
      "plan FILE [options]",
      "Checks a campaign file and says what it would probe, what is stored already, and at what cost.",
      store_options(), "", false};
  return usage;
}

int plan_command(const Options& options) {
  if (options.positional().size() != 1)
    throw usage_error("takes one campaign file", "", "usage: brink plan FILE");
  const auto folder = store_folder(options);
  const Campaign campaign = load_campaign(options.positional().front(), toolchain_folders(folder));
  std::optional<Store> store;
  if (std::filesystem::exists(folder / "results.sqlite")) store.emplace(folder, Store::Mode::read);
  Planner planner(campaign, folder, our_environment());
  planner.establish_identity();
  Planned planned(store ? &*store : nullptr, planner);
  const bool json = options.has("json");
  auto array = ordered_json::array();
  if (!json) {
    fmt::print("campaign {}: toolchain {}, target {}\n", for_terminal(campaign.name),
               for_terminal(campaign.toolchain.name), for_terminal(target_text(campaign.target)));
    if (!planner.identity_text().empty()) fmt::print("identity: {}\n", for_terminal(planner.identity_text()));
  }
  for (const Experiment& experiment : campaign.experiments)
    print_experiment(experiment, planned, json, array);
  if (json)
    fmt::print("{}\n", ordered_json{{"schema", "brink.plan/1"},
                                    {"campaign", campaign.name},
                                    {"identity", planner.identity_text()},
                                    {"experiments", array}}
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

}  // namespace brink::cli
