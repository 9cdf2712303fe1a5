#pragma once

#include <span>
#include <string_view>

#include "results/sqlite.hpp"

namespace brink {

/// Says whose a SQLite file is: "brnk", in the header's application id.
inline constexpr std::int64_t kApplicationId = 0x62726E6B;

/// The steps that make the newest schema: step i leads from version i to version i+1.
std::span<const std::string_view> migrations();

/// Brings a file up to `steps.size()` in one immediate transaction, after a backup to FILE.backup-vN when
/// there was something to lose. Does nothing when it is there already. Throws a store Error when the file is
/// newer, or belongs to another program; then nothing was changed.
void migrate(Database& database, std::span<const std::string_view> steps);

}  // namespace brink
