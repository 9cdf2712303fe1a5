#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/execution/executor.hpp"
#include "harness/runner/inquiry.hpp"

namespace brink {

/// What a person watching may want to know. Pointers are valid during the call only.
struct Event {
  enum class Kind { adopted, started, ended, reused, finished, waiting, warning };
  Kind kind = Kind::warning;
  const Inquiry* inquiry = nullptr;  ///< nullptr when the trial belongs to no experiment at work
  RowId trial = 0;
  std::string config;  ///< for people
  const Evidence* evidence = nullptr;
  double wall_s = 0;
  std::string text;
};

struct RunnerSettings {
  int slots = 1;                                   ///< of this runner; a campaign may ask for fewer
  std::map<std::string, std::string> environment;  ///< ours: what plans pick from
  std::string host, brink_version;
  std::function<void(const Event&)> watch;
  std::function<bool()> interrupted;  ///< asked between steps: stop starting, detach
};

/// The loop: adopt, fill, wait, record, tell. One runner per store (the caller holds the store's lock). Every
/// step is committed before the next, so it may be killed at any instant.
class Runner {
 public:
  Runner(Store& store, Executor& executor, RunnerSettings settings);
  ~Runner();

  /// Takes over every trial that the store says is running, whatever campaign it belongs to. Call first,
  /// once.
  void adopt();
  /// Works one campaign, or (nullopt) all that are queued and those that come in meanwhile, until nothing is
  /// left to do. Returns false when interrupted. Infrastructure faults of a campaign block its experiments;
  /// only the runner's own (store gone, disk full) are thrown.
  bool work(std::optional<RowId> campaign);
  /// One new trial of one config, whatever is stored, recorded like any other; nullopt when interrupted.
  std::optional<TrialRow> execute(RowId campaign, RowId experiment, const Config& config,
                                  const std::string& purpose);

  struct Underway {
    RowId trial = 0;
    std::string config;
    double seconds = 0;
  };
  /// What runs now, oldest first.
  std::vector<Underway> underway() const;
  /// Ends what runs (cancelled: no evidence) and records it.
  void cancel_all();

 private:
  struct Waiting {
    Inquiry* inquiry = nullptr;
    Point point;
  };
  struct Running {
    RowId id = 0;
    RowId campaign = 0;
    std::string key, family, config;
    std::chrono::steady_clock::time_point since;
    std::vector<Waiting> waiting;  ///< those that asked for it
    bool cancelled = false;        ///< being ended: nobody may join it
  };

  Planner& planner_of(const CampaignRow& campaign);
  void load_queue(std::optional<RowId> only);
  void notice_queue(std::optional<RowId> only);
  void load_campaign_row(const CampaignRow& row);
  bool startable(const Inquiry& inquiry) const;
  void begin_startable();
  void finish_over();
  void finish(Inquiry& inquiry);
  void settle_campaign(RowId campaign);
  bool fill();
  bool place(Inquiry& inquiry, const Point& point);
  bool within_budget(Inquiry& inquiry);
  std::filesystem::path next_folder() const;  ///< of the trial that would be inserted now
  RowId start(Planner& planner, RowId campaign, RowId experiment, const Experiment& asked,
              const Config& config, const TrialPlan& plan, const std::string& purpose,
              const std::string& family);
  void wait(std::chrono::milliseconds most);
  void compress_log(const Running& trial);
  std::optional<TrialRow> record(const Completion& completion);
  void deliver(const TrialRow& trial, const Running& running);
  void deliver_to(Inquiry& inquiry, const Point& point, const TrialRow& trial, bool awaited);
  void drop_pointless(Inquiry& inquiry, const std::vector<Point>& points);
  void without_evidence(Inquiry& inquiry, const Point& point, const TrialRow& trial,
                        const Evidence& evidence);
  void forget_waiting(const Inquiry* inquiry);
  void cancel(Running& trial);
  void say(Event::Kind kind, const Inquiry* inquiry, RowId trial, const std::string& config,
           const std::string& text = "", const Evidence* evidence = nullptr, double wall_s = 0) const;
  int slots_free(const Inquiry& inquiry) const;
  std::int64_t budget_used(const Inquiry& inquiry) const;

  Store& store_;
  Executor& executor_;
  RunnerSettings settings_;
  std::map<RowId, std::unique_ptr<Planner>> planners_;
  std::vector<std::unique_ptr<Inquiry>> inquiries_;  ///< those begun or waiting for another, by priority
  std::map<const Inquiry*, bool> begun_;
  std::map<std::string, Running> running_;  ///< by trial id text
  std::map<const Inquiry*, std::map<Point, int>> retries_;
  std::map<const Inquiry*, int> restarts_;              ///< because inputs changed
  std::vector<std::filesystem::path> adopted_outputs_;  ///< files that adopted trials have made so far
  std::map<RowId, std::chrono::steady_clock::time_point>
      working_since_;  ///< by campaign, for its time budget
  std::int64_t queue_version_ = 0;
};

}  // namespace brink
