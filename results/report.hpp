#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/answer.hpp"
#include "results/store.hpp"

namespace brink {

/// The failure at an answer's first_bad.
struct ReportFailure {
  std::string failure_class, signature, message;
  std::string cause;  ///< Failure::cause, for the second line; "" falls back to class and message
  bool operator==(const ReportFailure&) const = default;
};

struct ReportSeconds {
  double wall = 0;         ///< from the experiment's start to its end, or to now
  double compiling = 0;    ///< sum of the walls of its own (not reused) trials
  double saved_early = 0;  ///< what early verdicts saved, estimated
  bool operator==(const ReportSeconds&) const = default;
};

/// What one experiment has to say: the value behind ExperimentRow::answer. The runner fills it.
struct ExperimentReport {
  std::string name, kind;
  std::string state;  ///< answered, inconclusive, blocked, running, queued, cancelled
  Answer answer;      ///< with its intervals, holes, skipped, warnings and points
  std::optional<ReportFailure> failure;
  std::int64_t trials = 0;                               ///< executions told, reused ones included
  std::int64_t probed = 0;                               ///< different values among them
  std::int64_t reused = 0;                               ///< trials that were there before
  std::int64_t first_reused_ms = 0, last_reused_ms = 0;  ///< when the reused ones started; 0: none
  ReportSeconds seconds;
  std::vector<std::string> warnings;  ///< besides the answer's own; the rendered list has both
  bool stand_in = false;
};

/// The experiment's object of brink.report/1 (CONTRACT 6), keys in that order, one line, UTF-8. Axis values
/// that parse_int accepts are JSON integers, all others strings.
std::string experiment_to_json(const ExperimentReport& report);
/// Reads experiment_to_json back (the answer's warnings come back in `warnings`). Throws Error (code "store")
/// on anything else.
ExperimentReport experiment_from_json(std::string_view json);

/// The three lines that answer the question, safe for a terminal.
std::vector<std::string> answer_lines(const ExperimentReport& report);

/// One trial as an experiment saw it.
struct ReportTrial {
  RowId id = 0;
  std::string config;  ///< canonical
  std::string purpose, outcome, failure_class, signature, message;
  std::string verdict, why;
  bool reused = false, early = false;
  double wall_s = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::int64_t started_ms = 0;
};

/// An identity of the toolchain, and the first trial made under it.
struct ReportIdentity {
  RowId first_trial = 0;
  std::string text;
};

struct ReportedExperiment {
  ExperimentReport result;
  std::vector<ReportTrial> trials;         ///< in the order of telling
  std::vector<ReportIdentity> identities;  ///< more than one: the toolchain changed
};

/// A campaign's report: values only.
struct Report {
  std::string brink;  ///< version of the brink that makes the report
  std::string campaign;
  int revision = 1;
  std::string state;           ///< complete, partial
  std::string campaign_state;  ///< the store's word: queued, running, paused, …
  bool stand_in = false;
  std::vector<ReportedExperiment> experiments;
  std::vector<std::string> hosts, brink_versions;  ///< that made the trials
  std::string toolchain, model, target;            ///< "" unknown or none
  std::int64_t submitted_ms = 0;
};

Report make_report(const Store& store, const CampaignRow& campaign);

struct TextOptions {
  int width = 100;
  bool colour = false;
};

/// brink.report/1, one object, one line.
std::string report_json(const Report& report);
/// For a terminal: the answer in the first three lines, then why, then the commands that look further.
std::string report_text(const Report& report, const TextOptions& options = {});
/// For an issue.
std::string report_markdown(const Report& report);

}  // namespace brink
