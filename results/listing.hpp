#pragma once

#include <optional>
#include <string>

#include "results/store.hpp"

namespace brink {

/// brink.trials/1 (CONTRACT 6): the newest `most` trials (all when negative), oldest first, of one campaign
/// or of all.
std::string trials_json(const Store& store, const std::optional<std::string>& campaign, int most);
/// The same as a table for a terminal.
std::string trials_text(const Store& store, const std::optional<std::string>& campaign, int most);

/// Everything about one trial, for a terminal: config, key and its parts, commands, outcome with its stages,
/// failure, conflicts, excerpt, where the log is, and how to rerun it.
std::string trial_text(const Store& store, const TrialRow& trial);
/// The same as one object, schema brink.trial/1.
std::string trial_json(const Store& store, const TrialRow& trial);

/// Campaigns with their states, what runs and for how long, and whether a runner is at work ("queued, no
/// runner").
std::string status_text(const Store& store);
/// The same as one object, schema brink.status/1.
std::string status_json(const Store& store);

}  // namespace brink
