#include "results/store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "harness/core/error.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "results/migrations.hpp"
#include "results/placement.hpp"
#include "results/store_state.hpp"

namespace brink {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{30};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                          : std::string("unknown host");
}

/// A database in a shared folder is as private as one inside the store: made 0600 before SQLite sees it.
void make_private_file(const fs::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd)
    throw Error(Exit::infrastructure, "store",
                std::string("the results store cannot be opened for writing: ") + std::strerror(errno),
                for_terminal(file.string()), "make its folder writable, or use another --store DIR");
}

/// Turning on the write-ahead log needs the file alone for a moment, and SQLite does not wait for that one.
void use_write_ahead_log(Database& database) {
  for (int attempt = 0;; ++attempt) {
    try {
      Statement mode(database, "PRAGMA journal_mode = WAL");
      if (mode.step() && mode.text(0) == "wal") return;
      throw Error(Exit::infrastructure, "store", "this file system cannot hold a write-ahead log",
                  for_terminal(database.file().string()),
                  R"(write database = "/local/path" into the store's store.toml)");
    } catch (const Error& error) {
      if (attempt == 200 || error.message() != "the results store is busy") throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
  }
}

std::unique_ptr<Database> open_to_write(const fs::path& file) {
  make_private_file(file);
  auto database = std::make_unique<Database>(file, Database::Access::create, kPatience);
  migrate(*database, migrations());
  use_write_ahead_log(*database);
  database->script("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  return database;
}

/// A store on a read-only disk has no place for SQLite's shared memory; nobody can be writing it either.
std::unique_ptr<Database> open_to_read(const fs::path& file) {
  if (!fs::exists(file))
    throw Error(Exit::infrastructure, "store", "there is no results store", for_terminal(file.string()),
                "brink run makes one; --store DIR names another");
  const bool writable = ::access(file.parent_path().c_str(), W_OK) == 0 && ::access(file.c_str(), W_OK) == 0;
  const fs::path log = file.string() + "-wal";
  std::error_code none;
  const bool settled = !fs::exists(log) || fs::file_size(log, none) == 0;
  const auto access = !writable && settled ? Database::Access::immutable : Database::Access::write;
  auto database = std::make_unique<Database>(file, access, kPatience);
  migrate(*database, migrations());
  database->script("PRAGMA query_only = ON");
  return database;
}

}  // namespace

Store::Store(const fs::path& folder, Mode mode) : state_(std::make_unique<State>()) {
  state_->folder = fs::absolute(folder).lexically_normal();
  if (mode == Mode::write) prepare_store(state_->folder);
  const fs::path file = database_file(state_->folder);
  refuse_network(file, state_->folder, network_file_system(file.parent_path()));
  state_->database = mode == Mode::write ? open_to_write(file) : open_to_read(file);
}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

const fs::path& Store::folder() const { return state_->folder; }

fs::path Store::trial_folder(RowId trial) const { return state_->folder / "trials" / std::to_string(trial); }

Descriptor Store::lock_runner(const std::string& what) {
  const fs::path file = state_->folder / "lock";
  Descriptor lock = try_lock(file);
  if (!lock) {
    const std::string holder = for_terminal(trim(read_file_if_there(file).value_or("")));
    throw Error(
        Exit::locked, "locked",
        holder.empty() ? "another runner holds this store" : "another runner holds this store: " + holder,
        for_terminal(state_->folder.string()),
        "brink submit queues work for it; --store DIR uses another store");
  }
  const std::string text = fmt::format("pid {} on {}, since {} UTC: {}\n", ::getpid(), host_name(),
                                       utc_text(epoch_ms()), for_terminal(what));
  // Written through the locked file: a rename would leave the lock on a file that nobody finds.
  const bool written = ::ftruncate(lock.get(), 0) == 0 &&
                       ::pwrite(lock.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written)
    throw Error(Exit::infrastructure, "store",
                std::string("the store's lock cannot be written: ") + std::strerror(errno),
                for_terminal(file.string()), "free disk space there, or use another --store DIR");
  return lock;
}

std::optional<std::string> Store::runner_now() const {
  const fs::path file = state_->folder / "lock";
  if (!is_locked(file)) return std::nullopt;
  return std::string(trim(read_file_if_there(file).value_or("")));
}

Store::Batch::Batch(Store& store) : transaction_(std::make_unique<Transaction>(*store.state_->database)) {}
Store::Batch::~Batch() = default;
void Store::Batch::commit() { transaction_->commit(); }

}  // namespace brink
