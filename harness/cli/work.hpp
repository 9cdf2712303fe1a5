#pragma once

#include "harness/campaign/campaign.hpp"
#include "results/store.hpp"

namespace brink::cli {

/// The row of a campaign for the store.
NewCampaign row_of(const Campaign& campaign, bool fresh);

/// Puts every experiment of a campaign back into the queue.
void requeue(Store& store, RowId campaign);

/// The exit code of a campaign's experiments: 0 answered, 4 blocked, 3 anything else.
int exit_code_of(const Store& store, RowId campaign);

/// Submits, works and reports one campaign in the foreground; returns the exit code. `fresh`: stored trials
/// are not used. `lines`: print only the answer's three lines (one-liners), else the whole report.
int work_and_report(Store& store, const Campaign& campaign, bool fresh, bool json, bool lines,
                    const std::string& what);

}  // namespace brink::cli
