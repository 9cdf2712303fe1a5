#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/failure.hpp"
#include "harness/core/files.hpp"
#include "harness/core/outcome.hpp"

namespace brink {

using RowId = std::int64_t;
class Transaction;

/// One revision of a campaign, as submitted.
struct CampaignRow {
  RowId id = 0;
  std::string name;
  int revision = 1;
  std::string digest, json;  ///< campaign_digest, campaign_to_json
  std::string state;         ///< queued, running, paused, complete, partial, cancelled, superseded
  int priority = 0, slots = 1;
  bool ad_hoc = false;
  std::int64_t submitted_ms = 0;
  RowId fresh_after = 0;  ///< only trials with a greater id may be reused (--fresh); 0: all
};

struct ExperimentRow {
  RowId id = 0, campaign = 0;
  std::string name, kind;
  int position = 0;
  std::string state;  ///< queued, running, answered, inconclusive, blocked, cancelled
  std::string
      answer;  ///< the experiment's object of brink.report/1, "" before there is one; updated while it runs
  std::string identity;  ///< digest of the toolchain's identity that the answer is made under
  std::int64_t started_ms = 0, ended_ms = 0;
};

struct NewExperiment {
  std::string name, kind;
};

struct NewCampaign {
  std::string name, digest, json;
  int priority = 0, slots = 1;
  bool ad_hoc = false;
  bool fresh = false;
  std::vector<NewExperiment> experiments;
};

struct Submitted {
  RowId id = 0;
  int revision = 1;
  bool existed = false;  ///< the newest revision has this digest already: nothing new was queued
};

/// A trial before its process starts.
struct NewTrial {
  RowId campaign = 0, experiment = 0;
  std::string config;  ///< Config::canonical()
  std::string key, family;
  std::string parts;     ///< JSON array of {"name","value"}: what the key is made of
  std::string identity;  ///< toolchain identity text
  std::string attempt;
  std::string purpose;   ///< search, confirm, hole, probe, rerun
  std::string commands;  ///< JSON array of argument vectors, secrets masked
  std::string host, brink_version;
  std::int64_t wall_limit_ms = 0;
  std::uint64_t memory_limit_bytes = 0;  ///< 0: none
};

struct TrialRow {
  RowId id = 0;
  NewTrial made;  ///< as inserted
  std::string campaign_name, experiment_name;
  std::string state;  ///< running, ended
  std::int64_t started_ms = 0, ended_ms = 0;
  std::optional<Outcome> outcome;      ///< when ended
  std::optional<Diagnosis> diagnosis;  ///< the newest
  std::string rules_digest;            ///< that made it
  std::string verdict;                 ///< as told to its own experiment; "" before that
};

/// A verdict as it was told to a search: for `trials` and reports. One per (experiment, trial).
struct TellRow {
  RowId experiment = 0, trial = 0;
  std::string verdict;  ///< good, bad, skip
  std::string why;
  bool reused = false;  ///< the trial was there before
};

/// The results store: one SQLite file and the folders beside it. One writer of trials at a time (the runner,
/// see lock_runner), any number of readers, short immediate transactions of everybody else.
class Store {
 public:
  enum class Mode { read, write };
  /// Opens `folder` (made, 0700, when missing and mode is write; with .gitignore, trials/, artifacts/,
  /// toolchains/). Applies migrations (backup first). Errors: exit 4 code "store" (unwritable, newer version,
  /// not a brink store, network file system, owned by somebody else), each one line with its remedy.
  Store(const std::filesystem::path& folder, Mode mode);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  const std::filesystem::path& folder() const;
  std::filesystem::path trial_folder(RowId trial) const;  ///< absolute

  /// The runner's lock, with our pid, host and `what` written inside for the message. Throws Error (exit 5,
  /// code "locked") naming the holder, `brink submit` and `--store`.
  Descriptor lock_runner(const std::string& what);
  /// Text inside the lock when somebody holds it; nullopt when it is free.
  std::optional<std::string> runner_now() const;

  // Queue.
  /// Same name and digest as the newest revision: that one (requeued when it was cancelled, partial or has
  /// blocked experiments, or when `fresh`). Same name, other digest: next revision, the older ones'
  /// unfinished work superseded.
  Submitted submit(const NewCampaign& campaign);
  std::vector<CampaignRow> campaigns() const;  ///< newest first
  std::optional<CampaignRow> campaign(RowId id) const;
  /// Newest revision, or the one asked for.
  std::optional<CampaignRow> campaign(const std::string& name,
                                      std::optional<int> revision = std::nullopt) const;
  std::vector<CampaignRow> runnable() const;  ///< queued or running, by priority (high first), then id
  std::vector<ExperimentRow> experiments(RowId campaign) const;  ///< by position
  void set_campaign_state(RowId campaign, const std::string& state);
  void set_experiment(const ExperimentRow& row);  ///< state, answer, identity, times
  /// Increases whenever anybody changed a campaign's state: the runner looks for pause and cancel by it.
  std::int64_t data_version() const;

  // Trials.
  RowId insert_trial(const NewTrial& trial);  ///< state running; committed before it returns
  void finish_trial(RowId trial, const Outcome& outcome, const Diagnosis& diagnosis,
                    const std::string& rules_digest);
  void replace_diagnosis(RowId trial, const Diagnosis& diagnosis,
                         const std::string& rules_digest);  ///< reclassify
  void tell(const TellRow& tell);
  std::optional<TrialRow> trial(RowId id) const;
  std::vector<TrialRow> running_trials() const;
  std::vector<TrialRow> trials_of_key(const std::string& key) const;        ///< oldest first
  std::vector<TrialRow> trials_of_family(const std::string& family) const;  ///< ended ones, oldest first
  std::vector<TrialRow> trials_of_campaign(RowId campaign) const;
  std::vector<TrialRow> trials_told(RowId experiment) const;  ///< in order of telling, like tells()
  std::vector<TrialRow> recent_trials(int most) const;  ///< newest first; all of them when most is negative
  std::vector<TellRow> tells(RowId experiment) const;   ///< in order of telling
  RowId last_trial() const;

  /// Notes that this trial made the file, which stands among its arguments: an output, never an input.
  void add_output_file(const std::filesystem::path& file, RowId trial);
  std::vector<std::filesystem::path> output_files() const;

  /// Makes several of the calls above one transaction (one wait for the disk instead of one each); undone
  /// when it goes away before commit(). Only for what belongs together at once: others wait for it.
  class Batch {
   public:
    explicit Batch(Store& store);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void commit();

   private:
    std::unique_ptr<Transaction> transaction_;
  };

  /// After a trial ended: its log becomes log.zst (streamed in constant memory, whole before the plain one
  /// goes). Logs under 16 KiB stay plain. Calling it again does nothing.
  void compress_log(RowId trial) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `--store DIR`, else $BRINK_STORE, else the nearest .brink/ upwards from `here` (up to $HOME or the border
/// of a mount; one not owned by us is refused), else here/.brink (made on writing).
std::filesystem::path find_store(const std::optional<std::filesystem::path>& asked,
                                 const std::filesystem::path& here);

}  // namespace brink
