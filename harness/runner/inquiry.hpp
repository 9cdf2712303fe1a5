#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/diagnosis/diagnose.hpp"
#include "harness/runner/planner.hpp"
#include "harness/search/search.hpp"
#include "results/report.hpp"
#include "results/store.hpp"

namespace brink {

/// A stored trial that may be used in place of a new one, with its verdict for the target.
struct Evidence {
  Judgement judgement;
  Diagnosis diagnosis;
};

/// The verdict of an ended trial under the rules and limits of a campaign (DESIGN 4.4); judgement.evidence is
/// false when it may not be used. Reads the log again when other rules made the stored diagnosis.
Evidence evidence_of(const TrialRow& trial, const Campaign& campaign, const std::filesystem::path& folder);

/// One experiment while it is being answered: its search, and what the report will say about the trials told
/// to it.
class Inquiry {
 public:
  Inquiry(Store& store, Planner& planner, CampaignRow campaign, ExperimentRow row, Experiment experiment);

  /// Puts the answers of earlier experiments in the place of "{name.first_bad}" and "{name.last_good}".
  /// Throws an infrastructure Error when there is no such answer.
  void resolve_at(const std::vector<ExperimentRow>& rows);

  /// A fresh search under the present identity of the toolchain; tells it what is known and every usable
  /// stored trial. `why` is said in the report when it is not the first time.
  void begin(const std::string& why = "");

  Search& search() { return *search_; }
  const Search& search() const { return *search_; }
  Planner& planner() { return planner_; }
  const Planner& planner() const { return planner_; }
  const Experiment& experiment() const { return experiment_; }
  const CampaignRow& campaign() const { return campaign_; }
  const ExperimentRow& row() const { return row_; }
  const std::string& family() const { return family_; }
  Config config(const Point& point) const { return config_of(planner_.campaign(), experiment_, point); }
  /// The point of a trial's config; nullopt when it is off the axes.
  std::optional<Point> point_of(const Config& config) const;

  /// A stored trial under this key that was not told yet.
  std::optional<TrialRow> reusable(const std::string& key, Evidence& evidence) const;
  /// Tells one ended trial; returns the points in flight that it makes pointless. Nothing when it was told
  /// before.
  std::vector<Point> tell(const TrialRow& trial, const Point& point, const Evidence& evidence);
  bool told(RowId trial) const { return told_.contains(trial); }

  /// Whether programs or inputs are others than when this was asked last: only then can the family be
  /// another.
  bool inputs_changed(const std::vector<WatchedFile>& watched);

  void block(std::string why) { blocked_ = std::move(why); }
  const std::string& blocked() const { return blocked_; }
  void out_of_budget(std::string why) { budget_ = std::move(why); }
  bool over() const { return !blocked_.empty() || !budget_.empty() || search_->done(); }
  void warn(const std::string& warning);

  /// Trials started for it now (not the reused ones), against the budget.
  std::int64_t started() const { return started_; }
  void count_start() { ++started_; }

  /// Everything known now; `over` decides between running and the final states.
  ExperimentReport report(bool final) const;
  /// Writes report() into the experiment's row; while it runs at most twice a second (what is written then
  /// serves readers only: a new runner makes it again from the trials).
  void save(bool final);

 private:
  void tell_stored_trials();
  void tell_known();

  Store& store_;
  Planner& planner_;
  CampaignRow campaign_;
  ExperimentRow row_;
  Experiment experiment_;
  std::unique_ptr<Search> search_;
  std::string family_, blocked_, budget_;
  std::set<RowId> told_;
  std::set<std::string> values_;
  std::vector<WatchedFile> watched_;
  std::map<std::string, Failure> failures_;  ///< by value of the first axis, the newest
  std::vector<std::string> warnings_;
  std::chrono::steady_clock::time_point saved_{};
  std::int64_t started_ = 0, reused_ = 0, first_reused_ms_ = 0, last_reused_ms_ = 0;
  double compiling_s_ = 0;
  bool stand_in_ = false;
};

}  // namespace brink
