#pragma once

#include "harness/campaign/campaign.hpp"
#include "harness/cli/options.hpp"

namespace brink::cli {

/// Options that every one-liner takes (CONTRACT 1), and those that only searches take.
std::vector<OptionSpec> command_options();
std::vector<OptionSpec> search_options();

/// The ad-hoc campaign of a one-liner: axes from the positional arguments, the command after `--`. Throws a
/// usage Error naming the flag or axis. `warnings` gets what the caller should be told.
Campaign ad_hoc_campaign(ExperimentKind kind, const Options& options, std::vector<std::string>& warnings);

}  // namespace brink::cli
