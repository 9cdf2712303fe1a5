#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/runner/planner.hpp"
#include "results/store.hpp"

namespace brink {

/// The row of a planned trial, with a new attempt id. Campaign, experiment, family, host and version are left
/// to fill in.
NewTrial new_trial(const Planner& planner, const TrialPlan& plan, const Config& config,
                   const std::string& purpose);

/// Writes job.json. It needs no fsync: a row whose job was lost with the power is a lost trial.
void write_job(const Job& job);

/// The job of a trial that an earlier runner started; when job.json is missing or unreadable, a job without
/// stages, which is enough to find the outcome or to call the trial lost.
Job stored_job(const std::filesystem::path& folder, const std::string& trial, const std::string& attempt);

/// Arguments of the job that are files now and were none when it was planned: it made them.
std::vector<std::filesystem::path> files_made(const Job& job);

/// Reads the log, classifies, and ends the row; stage outputs go into the cache, passed values out of
/// job.json.
TrialRow record_outcome(Store& store, Planner& planner, const TrialRow& row, const Outcome& outcome);

/// Ends the row of a trial that could not be started.
void record_unstarted(Store& store, RowId trial, const std::string& attempt, const Error& error);

}  // namespace brink
