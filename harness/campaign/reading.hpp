#pragma once

#include <string>
#include <vector>

#include "harness/campaign/campaign.hpp"
#include "harness/toolchain/complaints.hpp"
#include "harness/toolchain/placeholders.hpp"
#include "harness/toolchain/plan.hpp"
#include "harness/toolchain/read_toolchain.hpp"
#include "harness/toolchain/table_reader.hpp"

namespace brink {

/// The axes of one `axis` or `by` table; `labels` for `by`. Lines are noted as "experiment NAME axis AXIS".
std::vector<Axis> read_axes(const TomlValue& table, const std::string& experiment, bool labels, Lines& lines,
                            Complaints& complaints);

/// [[experiment]]. Those of kinds that are not in this version are complained of and left out.
void read_experiments(TableReader& root, Campaign& campaign, Lines& lines, Complaints& complaints);

/// What only the whole can tell: names, values and shapes against the toolchain and the model, references
/// between experiments. `inline_toolchain`: its lines are in `lines`, too.
void check_campaign(const Campaign& campaign, bool inline_toolchain, const Lines& lines,
                    Complaints& complaints);

/// Names of placeholders in all stages and the environment, once each.
std::vector<std::string> placeholders_of(const Toolchain& toolchain);
/// Whether any stage gets the compile script.
bool reads_script(const Toolchain& toolchain);

}  // namespace brink
