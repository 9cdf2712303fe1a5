#include "results/migrations.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/text.hpp"
#include "results/schema.hpp"

namespace brink {

namespace {

constexpr std::string_view kSteps[] = {kSchema1};

Error refused(const Database& database, std::string message, std::string remedy) {
  return Error(Exit::infrastructure, "store", std::move(message), for_terminal(database.file().string()),
               std::move(remedy));
}

/// The version of a file of ours, 0 for an empty one. One statement, so that one state of the file is seen
/// while another process makes it.
std::int64_t version_of(Database& database, std::size_t newest) {
  Statement header(database,
                   "SELECT a.application_id, u.user_version, (SELECT count(*) FROM sqlite_schema) "
                   "FROM pragma_application_id AS a, pragma_user_version AS u");
  header.step();
  const std::int64_t application = header.integer(0), version = header.integer(1);
  const bool empty = header.integer(2) == 0;
  if (application != kApplicationId && !(empty && application == 0 && version == 0))
    throw refused(database, "this SQLite file is not a results store of brink",
                  "move it away, or use another --store DIR");
  if (version > static_cast<std::int64_t>(newest))
    throw refused(database,
                  fmt::format("the results store has version {}, this brink knows up to {}", version, newest),
                  "use the newer brink that wrote it, or another --store DIR");
  return version;
}

/// A whole copy beside the file, by a second connection: the caller holds the write lock, so nothing is
/// missing from it.
void back_up(const Database& database, std::int64_t version) {
  const std::string file = database.file().string() + fmt::format(".backup-v{}", version);
  const std::string half = file + ".half";
  std::filesystem::remove(half);
  Database reader(database.file(), Database::Access::write, std::chrono::seconds(30));
  Statement(reader, "VACUUM INTO ?").with(half).run();
  const Descriptor fd(::open(half.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0)
    throw refused(database, "no backup could be written before the migration", "free disk space there");
  std::filesystem::rename(half, file);
}

}  // namespace

std::span<const std::string_view> migrations() { return kSteps; }

void migrate(Database& database, std::span<const std::string_view> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (version_of(database, steps.size()) == newest) return;
  Transaction transaction(database);
  const std::int64_t version = version_of(database, steps.size());  // another process may have been faster
  if (version == newest) return;
  if (version > 0) back_up(database, version);
  for (auto step = version; step < newest; ++step) database.script(steps[static_cast<std::size_t>(step)]);
  database.script(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
  transaction.commit();
}

}  // namespace brink
