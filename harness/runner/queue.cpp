#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/runner/launch.hpp"
#include "harness/runner/runner.hpp"
#include "harness/runner/waiting.hpp"

// The runner's side of the queue: which campaigns and experiments are at work, and when they are over.

namespace brink {

using std::chrono::steady_clock;

void Runner::load_queue(std::optional<RowId> only) {
  queue_version_ = store_.data_version();
  if (only) {
    if (const auto row = store_.campaign(*only)) load_campaign_row(*row);
    return;
  }
  for (const CampaignRow& row : store_.runnable()) load_campaign_row(row);
}

void Runner::load_campaign_row(const CampaignRow& row) {
  const bool loaded = std::any_of(inquiries_.begin(), inquiries_.end(),
                                  [&](const auto& inquiry) { return inquiry->campaign().id == row.id; });
  if (loaded) return;
  Planner& planner = planner_of(row);
  store_.set_campaign_state(row.id, "running");
  working_since_.emplace(row.id, steady_clock::now());
  std::string blocked;
  try {
    planner.establish_identity();
  } catch (const Error& error) {
    if (error.exit() != Exit::infrastructure) throw;
    blocked = error.line();
  }
  for (ExperimentRow& experiment : store_.experiments(row.id)) {
    if (experiment.state != "queued" && experiment.state != "running" && experiment.state != "blocked")
      continue;
    const auto& known = planner.campaign().experiments;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& e) { return e.name == experiment.name; });
    if (found == known.end()) continue;
    inquiries_.push_back(std::make_unique<Inquiry>(store_, planner, row, experiment, *found));
    begun_[inquiries_.back().get()] = false;
    if (!blocked.empty()) inquiries_.back()->block(blocked);
  }
}

Planner& Runner::planner_of(const CampaignRow& campaign) {
  auto& planner = planners_[campaign.id];
  if (!planner) {
    planner =
        std::make_unique<Planner>(campaign_from_json(campaign.json), store_.folder(), settings_.environment);
    for (const auto& file : store_.output_files()) planner->note_output(file);
    for (const auto& file : adopted_outputs_) planner->note_output(file);
  }
  return *planner;
}

void Runner::notice_queue(std::optional<RowId> only) {
  const std::int64_t version = store_.data_version();
  if (version == queue_version_) return;
  queue_version_ = version;
  if (!only)
    for (const CampaignRow& row : store_.runnable()) load_campaign_row(row);
  for (std::size_t i = 0; i < inquiries_.size();) {
    const auto row = store_.campaign(inquiries_[i]->campaign().id);
    const bool stopped =
        row && (row->state == "cancelled" || row->state == "superseded" || row->state == "paused");
    if (!stopped) {
      ++i;
      continue;
    }
    Inquiry* gone = inquiries_[i].get();
    forget_waiting(gone);
    for (auto& [id, trial] : running_) {
      if (trial.waiting.empty() && row->state == "cancelled" && trial.campaign == row->id) cancel(trial);
    }
    begun_.erase(gone);
    retries_.erase(gone);
    restarts_.erase(gone);
    inquiries_.erase(inquiries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool Runner::startable(const Inquiry& inquiry) const {
  if (inquiry.experiment().after.empty()) return true;
  return std::none_of(inquiries_.begin(), inquiries_.end(), [&](const auto& other) {
    return other->campaign().id == inquiry.campaign().id &&
           other->experiment().name == inquiry.experiment().after;
  });
}

void Runner::begin_startable() {
  for (auto& inquiry : inquiries_) {
    if (begun_[inquiry.get()] || !startable(*inquiry)) continue;
    begun_[inquiry.get()] = true;
    if (!inquiry->blocked().empty()) continue;
    try {
      inquiry->resolve_at(store_.experiments(inquiry->campaign().id));
      inquiry->begin();
      inquiry->save(false);
    } catch (const Error& error) {
      if (error.exit() != Exit::infrastructure || error.code() == "store") throw;
      inquiry->block(error.line());
    }
  }
  finish_over();
}

void Runner::finish_over() {
  for (std::size_t i = 0; i < inquiries_.size();) {
    Inquiry& inquiry = *inquiries_[i];
    const bool awaited = std::any_of(running_.begin(), running_.end(), [&](const auto& entry) {
      return waits(entry.second.waiting, &inquiry);
    });
    if (begun_[&inquiry] && inquiry.over() && !awaited)
      finish(inquiry);
    else
      ++i;
  }
}

void Runner::finish(Inquiry& inquiry) {
  inquiry.save(true);
  say(Event::Kind::finished, &inquiry, 0, "");
  const RowId campaign = inquiry.campaign().id;
  begun_.erase(&inquiry);
  retries_.erase(&inquiry);
  restarts_.erase(&inquiry);
  std::erase_if(inquiries_, [&](const auto& one) { return one.get() == &inquiry; });
  settle_campaign(campaign);
}

void Runner::settle_campaign(RowId campaign) {
  const auto rows = store_.experiments(campaign);
  const auto all = [&](auto&& predicate) { return std::all_of(rows.begin(), rows.end(), predicate); };
  if (!all([](const ExperimentRow& row) { return row.state != "queued" && row.state != "running"; })) return;
  store_.set_campaign_state(campaign, all([](const ExperimentRow& row) { return row.state == "answered"; })
                                          ? "complete"
                                          : "partial");
  queue_version_ = store_.data_version();
}

}  // namespace brink
