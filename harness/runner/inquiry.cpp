#include "harness/runner/inquiry.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

constexpr std::chrono::milliseconds kSavePause{500};

std::uint64_t machine_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Whether what the trial's limits let happen holds under the limits asked for now (DESIGN 4.4).
bool limits_allow(const TrialRow& trial, const LimitChoice& asked) {
  const Outcome& outcome = *trial.outcome;
  const Limits defaults;
  const double wall_s = std::chrono::duration<double>(asked.wall.value_or(defaults.wall)).count();
  const std::uint64_t memory = asked.memory_bytes.value_or(0);
  switch (outcome.ending) {
    case Ending::timed_out:
      return static_cast<double>(trial.made.wall_limit_ms) >= wall_s * 1e3;
    case Ending::out_of_memory:
      return trial.made.memory_limit_bytes == 0 || (memory != 0 && trial.made.memory_limit_bytes >= memory);
    case Ending::exited:
    case Ending::signalled:
    case Ending::stopped_early:
      return outcome.wall_s <= wall_s && (memory == 0 || outcome.peak_memory_bytes <= memory);
    case Ending::cancelled:
    case Ending::lost:
    case Ending::infrastructure:
      return false;
  }
  return false;
}

Told told_of(const TrialRow& trial, const Evidence& evidence) {
  Told told;
  told.verdict = evidence.judgement.verdict;
  if (evidence.diagnosis.failure) {
    told.signature = evidence.diagnosis.failure->signature;
    told.failure_class = evidence.diagnosis.failure->failure_class;
  }
  told.cost_s = trial.outcome->wall_s;
  told.heavy = trial.outcome->peak_memory_bytes > machine_memory_bytes() / 2;
  return told;
}

SearchOptions options_of(const Experiment& experiment) {
  SearchOptions options;
  options.confidence = experiment.confidence;
  options.false_bad = experiment.false_bad;
  if (experiment.holes.off) options.holes.kind = HolePolicy::Kind::off;
  if (!experiment.holes.off && !experiment.holes.automatic)
    options.holes = {HolePolicy::Kind::share, experiment.holes.share};
  return options;
}

std::unique_ptr<Search> search_of(const Experiment& experiment) {
  switch (experiment.kind) {
    case ExperimentKind::threshold:
      return make_threshold(experiment.axes.at(0), options_of(experiment));
    case ExperimentKind::sweep:
      return make_sweep(experiment.axes);
    case ExperimentKind::frontier:
    case ExperimentKind::factor:
    case ExperimentKind::ablation:
    case ExperimentKind::minimise:
    case ExperimentKind::explain:
      break;
  }
  throw usage_error("kind \"" + std::string(kind_text(experiment.kind)) + "\" is not in this version",
                    "experiment " + experiment.name, "threshold and sweep are");
}

}  // namespace

Evidence evidence_of(const TrialRow& trial, const Campaign& campaign, const std::filesystem::path& folder) {
  Evidence evidence;
  evidence.judgement.evidence = false;
  if (!trial.outcome) return evidence;
  const Rules& rules = campaign.toolchain.rules;
  if (trial.diagnosis && trial.rules_digest == rules_digest(rules))
    evidence.diagnosis = *trial.diagnosis;
  else
    evidence.diagnosis = diagnose(rules, *trial.outcome, folder / "log");
  evidence.judgement = judge(*trial.outcome, evidence.diagnosis, campaign.target, folder / "log");
  if (!limits_allow(trial, campaign.limits)) evidence.judgement.evidence = false;
  return evidence;
}

Inquiry::Inquiry(Store& store, Planner& planner, CampaignRow campaign, ExperimentRow row,
                 Experiment experiment)
    : store_(store),
      planner_(planner),
      campaign_(std::move(campaign)),
      row_(std::move(row)),
      experiment_(std::move(experiment)),
      search_(search_of(experiment_)) {
  for (const Axis& axis : experiment_.axes)
    if (const auto remark = axis.remark()) warn(*remark);
}

void Inquiry::warn(const std::string& warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) warnings_.push_back(warning);
}

void Inquiry::resolve_at(const std::vector<ExperimentRow>& rows) {
  for (auto& [name, value] : experiment_.at) {
    std::map<std::string, std::string> values;
    for (const std::string& wanted : placeholders(value)) {
      const auto dot = wanted.rfind('.');
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const ExperimentRow& one) {
        return one.name == wanted.substr(0, dot);
      });
      const Answer answer =
          row == rows.end() || row->answer.empty() ? Answer{} : experiment_from_json(row->answer).answer;
      const auto found = wanted.substr(dot + 1) == "first_bad" ? answer.first_bad : answer.last_good;
      if (!found)
        throw infrastructure_error("experiment " + experiment_.name + " needs {" + wanted +
                                   "}, but that experiment has no such answer");
      values[wanted] = *found;
    }
    value = fill(value, values);
  }
}

void Inquiry::begin(const std::string& why) {
  if (!why.empty()) warn(why);
  search_ = search_of(experiment_);
  told_.clear();
  values_.clear();
  failures_.clear();
  reused_ = first_reused_ms_ = last_reused_ms_ = 0;
  compiling_s_ = 0;
  family_ = planner_.family(experiment_);
  if (!row_.identity.empty() && row_.identity != family_ && why.empty())
    warn(
        "the toolchain, a program or an input file is another one than when this experiment began: it began "
        "anew, and "
        "earlier trials are kept for comparison only");
  row_.identity = family_;
  if (row_.started_ms == 0) row_.started_ms = epoch_ms();
  row_.ended_ms = 0;
  row_.state = "running";
  started_ = 0;
  for (const TrialRow& trial : store_.trials_of_campaign(campaign_.id))
    if (trial.made.experiment == row_.id && trial.started_ms >= row_.started_ms) ++started_;
  tell_known();
  tell_stored_trials();
}

void Inquiry::tell_known() {
  for (const auto& [value, verdict] : experiment_.known) {
    const auto position = experiment_.axes.at(0).position(value);
    if (!position)
      throw usage_error("known value " + value + " is not on axis " + experiment_.axes[0].name(), "known");
    Told told;
    told.verdict = verdict;
    told.known = true;
    search_->tell({*position}, told);
  }
}

void Inquiry::tell_stored_trials() {
  for (const TrialRow& trial : store_.trials_of_family(family_)) {
    if (trial.id <= campaign_.fresh_after) continue;
    const auto point = point_of(config_from_canonical(trial.made.config));
    if (!point) continue;
    const Evidence evidence = evidence_of(trial, planner_.campaign(), store_.trial_folder(trial.id));
    if (evidence.judgement.evidence) tell(trial, *point, evidence);
  }
}

bool Inquiry::inputs_changed(const std::vector<WatchedFile>& watched) {
  const bool same = std::equal(watched.begin(), watched.end(), watched_.begin(), watched_.end());
  watched_ = watched;
  return !same;
}

std::optional<Point> Inquiry::point_of(const Config& config) const {
  Point point;
  for (const Axis& axis : experiment_.axes) {
    const auto value = config.values.find(axis.name());
    if (value == config.values.end()) return std::nullopt;
    const auto position = axis.position(value->second);
    if (!position) return std::nullopt;
    point.push_back(*position);
  }
  return point;
}

std::optional<TrialRow> Inquiry::reusable(const std::string& key, Evidence& evidence) const {
  for (TrialRow& trial : store_.trials_of_key(key)) {
    if (trial.state != "ended" || told(trial.id) || trial.id <= campaign_.fresh_after) continue;
    evidence = evidence_of(trial, planner_.campaign(), store_.trial_folder(trial.id));
    if (evidence.judgement.evidence) return std::move(trial);
  }
  return std::nullopt;
}

std::vector<Point> Inquiry::tell(const TrialRow& trial, const Point& point, const Evidence& evidence) {
  if (!told_.insert(trial.id).second) return {};
  const bool reused = trial.started_ms < row_.started_ms;
  if (reused) {
    ++reused_;
    first_reused_ms_ =
        first_reused_ms_ == 0 ? trial.started_ms : std::min(first_reused_ms_, trial.started_ms);
    last_reused_ms_ = std::max(last_reused_ms_, trial.started_ms);
  } else {
    compiling_s_ += trial.outcome->wall_s;
  }
  values_.insert(config_at(experiment_.axes, point).canonical());
  stand_in_ = stand_in_ || evidence.diagnosis.stand_in;
  if (evidence.diagnosis.failure)
    failures_[experiment_.axes.front().value(point.front())] = *evidence.diagnosis.failure;
  for (const std::string& note : evidence.diagnosis.notes) warn(note);
  store_.tell({row_.id, trial.id, std::string(verdict_text(evidence.judgement.verdict)),
               evidence.judgement.why, reused});
  return search_->tell(point, told_of(trial, evidence));
}

ExperimentReport Inquiry::report(bool final) const {
  ExperimentReport report;
  report.name = experiment_.name;
  report.kind = kind_text(experiment_.kind);
  report.answer = search_->answer();
  report.warnings = warnings_;
  if (!blocked_.empty()) {
    report.warnings.push_back(blocked_);
  } else if (!budget_.empty()) {
    report.warnings.push_back(budget_);
  }
  if (!final)
    report.state = "running";
  else if (!blocked_.empty())
    report.state = "blocked";
  else
    report.state = search_->done() && report.answer.answered ? "answered" : "inconclusive";
  if (report.state != "answered") report.answer.answered = false;
  const auto failure = failures_.find(report.answer.first_bad.value_or(""));
  if (report.answer.first_bad && failure != failures_.end())
    report.failure = ReportFailure{failure->second.failure_class, failure->second.signature,
                                   failure->second.message, failure->second.cause};
  report.trials = static_cast<std::int64_t>(told_.size());
  report.probed = static_cast<std::int64_t>(values_.size());
  report.reused = reused_;
  if (reused_ > 0 && reused_ == report.trials)
    report.warnings.push_back("made only of stored trials, of " + utc_text(first_reused_ms_) + " to " +
                              utc_text(last_reused_ms_) + " UTC");
  report.first_reused_ms = first_reused_ms_;
  report.last_reused_ms = last_reused_ms_;
  const std::int64_t until_ms = row_.ended_ms == 0 ? epoch_ms() : row_.ended_ms;
  report.seconds.wall = row_.started_ms == 0 ? 0 : static_cast<double>(until_ms - row_.started_ms) / 1e3;
  report.seconds.compiling = compiling_s_;
  report.stand_in = stand_in_;
  return report;
}

void Inquiry::save(bool final) {
  const auto now = std::chrono::steady_clock::now();
  if (!final && now - saved_ < kSavePause) return;
  saved_ = now;
  if (final) row_.ended_ms = epoch_ms();
  const ExperimentReport report = this->report(final);
  row_.state = report.state;
  row_.answer = experiment_to_json(report);
  store_.set_experiment(row_);
}

}  // namespace brink
