#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/runner/launch.hpp"
#include "harness/runner/runner.hpp"
#include "harness/runner/waiting.hpp"

// What the runner does with a trial that is over: record it, and tell everybody who wants to know.

namespace brink {

namespace {

/// Executions that came to nothing through no fault of the config (lost, killed from outside) are tried this
/// often again.
constexpr int kRetries = 2;

bool worth_retrying(const std::string& failure_class) {
  return failure_class == "lost" || failure_class == "killed-from-outside" ||
         failure_class == "input-changed";
}

}  // namespace

void Runner::compress_log(const Running& trial) {
  const auto campaign = store_.campaign(trial.campaign);
  if (!campaign || planner_of(*campaign).campaign().keep_logs) return;
  try {
    store_.compress_log(trial.id);
  } catch (const Error& error) {
    // The plain log stays and serves as well.
    say(Event::Kind::warning, nullptr, trial.id, "", error.line());
  }
}

std::optional<TrialRow> Runner::record(const Completion& completion) {
  const RowId id = std::stoll(completion.trial);
  const auto row = store_.trial(id);
  if (!row || row->state != "running") return std::nullopt;
  const auto campaign = store_.campaign(row->made.campaign);
  if (!campaign) return std::nullopt;
  return record_outcome(store_, planner_of(*campaign), *row, completion.outcome);
}

void Runner::deliver(const TrialRow& trial, const Running& running) {
  bool said = false;
  for (std::size_t i = 0; i < inquiries_.size(); ++i) {
    Inquiry& inquiry = *inquiries_[i];
    if (!begun_[&inquiry]) continue;
    const auto waiting = std::find_if(running.waiting.begin(), running.waiting.end(),
                                      [&](const Waiting& one) { return one.inquiry == &inquiry; });
    const bool awaited = waiting != running.waiting.end();
    const bool welcome = inquiry.family() == trial.made.family && trial.id > inquiry.campaign().fresh_after;
    if (!awaited && !welcome) continue;
    const auto point =
        awaited ? std::optional(waiting->point) : inquiry.point_of(config_from_canonical(trial.made.config));
    if (!point) continue;
    deliver_to(inquiry, *point, trial, awaited);
    said = true;
  }
  if (said) return;
  const auto campaign = store_.campaign(trial.made.campaign);
  const Evidence evidence =
      evidence_of(trial, planner_of(*campaign).campaign(), store_.trial_folder(trial.id));
  say(Event::Kind::ended, nullptr, trial.id, config_from_canonical(trial.made.config).text(), "", &evidence,
      trial.outcome->wall_s);
}

void Runner::deliver_to(Inquiry& inquiry, const Point& point, const TrialRow& trial, bool awaited) {
  const Evidence evidence = evidence_of(trial, inquiry.planner().campaign(), store_.trial_folder(trial.id));
  if (evidence.judgement.evidence) {
    drop_pointless(inquiry, inquiry.tell(trial, point, evidence));
    inquiry.save(false);
  } else if (awaited) {
    inquiry.search().withdraw(point);
    without_evidence(inquiry, point, trial, evidence);
  }
  say(Event::Kind::ended, &inquiry, trial.id, config_at(inquiry.experiment().axes, point).text(), "",
      &evidence, trial.outcome->wall_s);
}

void Runner::without_evidence(Inquiry& inquiry, const Point& point, const TrialRow& trial,
                              const Evidence& evidence) {
  const std::string failure_class =
      evidence.diagnosis.failure ? evidence.diagnosis.failure->failure_class : "";
  if (worth_retrying(failure_class) && retries_[&inquiry][point]++ < kRetries) return;
  const std::string message =
      evidence.diagnosis.failure ? evidence.diagnosis.failure->message : trial.outcome->message;
  const std::string id = std::to_string(trial.id);
  if (trial.outcome->ending == Ending::cancelled)
    inquiry.block("trial " + id + " was cancelled by hand; run again to go on");
  else
    inquiry.block((failure_class.empty() ? "no evidence" : failure_class) + ": " + message +
                  (failure_class == "input-changed" ? kOutputRemedy : "") + " (trial " + id + ")");
}

void Runner::forget_waiting(const Inquiry* inquiry) {
  for (auto& [id, trial] : running_)
    std::erase_if(trial.waiting, [&](const Waiting& one) { return one.inquiry == inquiry; });
}

void Runner::drop_pointless(Inquiry& inquiry, const std::vector<Point>& points) {
  for (const Point& point : points) {
    for (auto& [id, trial] : running_) {
      const auto dropped = std::erase_if(
          trial.waiting, [&](const Waiting& one) { return one.inquiry == &inquiry && one.point == point; });
      if (dropped > 0 && trial.waiting.empty()) cancel(trial);
    }
  }
}

}  // namespace brink
