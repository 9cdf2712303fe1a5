#include "results/placement.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

namespace fs = std::filesystem;

/// What a store's folder may hold before it is one: what people put there by hand, and what a process that
/// makes the store at this moment, or was killed while it did, has got to.
constexpr std::array<std::string_view, 5> kOurNames = {"artifacts", "lock", "store.toml", "toolchains",
                                                       "trials"};
constexpr std::array<std::string_view, 2> kOurPrefixes = {".gitignore", "results.sqlite"};

bool is_our_name(const std::string& name) {
  return std::find(kOurNames.begin(), kOurNames.end(), name) != kOurNames.end() ||
         std::any_of(kOurPrefixes.begin(), kOurPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Error store_error(std::string message, const fs::path& where, std::string remedy) {
  return Error(Exit::infrastructure, "store", std::move(message), for_terminal(where.string()),
               std::move(remedy));
}

/// Whether the folder is one of ours or can become one; throws when neither.
bool is_fresh(const fs::path& folder) {
  std::error_code error;
  bool fresh = true;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == "results.sqlite" || name == "store.toml") return false;
    if (!is_our_name(name)) fresh = false;
  }
  if (error)
    throw store_error("the store cannot be read: " + error.message(), folder, "use another --store DIR");
  if (!fresh)
    throw store_error("this folder holds other things than a results store", folder,
                      "use --store DIR with an empty or a new folder");
  return true;
}

void make_store_folder(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    make_folder(folder, 0700);
    return;
  }
  if (!S_ISDIR(status.st_mode))
    throw store_error("the store is not a folder", folder, "move that file away, or use another --store DIR");
  if (status.st_uid != ::geteuid())
    throw store_error("the store belongs to somebody else", folder,
                      "use --store DIR with a folder of your own");
  if (is_fresh(folder)) ::chmod(folder.c_str(), 0700);
}

}  // namespace

void prepare_store(const fs::path& folder) {
  try {
    make_store_folder(folder);
    for (const char* name : {"trials", "artifacts", "toolchains"})
      if (!fs::is_directory(folder / name)) make_folder(folder / name, 0700);
    if (!fs::exists(folder / ".gitignore")) write_file(folder / ".gitignore", "*\n");
  } catch (const Error& error) {
    if (error.code() == "store") throw;
    throw store_error("the results store cannot be written: " + error.message(), error.where(),
                      "make its folder writable, free disk space, or use another --store DIR");
  }
}

fs::path database_file(const fs::path& folder) {
  const fs::path beside = folder / "results.sqlite", file = folder / "store.toml";
  const auto text = read_file_if_there(file);
  if (!text) return beside;
  const auto wrong = [&](std::uint32_t line, const std::string& message) {
    return Error(Exit::infrastructure, "store", message,
                 fmt::format("{}:{}", for_terminal(file.string()), line),
                 R"(write database = "/local/path")");
  };
  try {
    const toml::table table = toml::parse(*text);
    for (const auto& [key, value] : table)
      if (key.str() != "database")
        throw wrong(key.source().begin.line, "unknown key " + for_terminal(key.str()) +
                                                 did_you_mean(std::string(key.str()), {"database"}));
    const toml::node* node = table.get("database");
    if (node == nullptr) return beside;
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) throw wrong(node->source().begin.line, "database: a path is needed");
    const fs::path path = folder / *value;
    return fs::is_directory(path) ? path / "results.sqlite" : path;
  } catch (const toml::parse_error& error) {
    throw wrong(error.source().begin.line, for_terminal(error.description()));
  }
}

std::optional<std::string> network_file_system_of(unsigned long magic) {
  switch (magic & 0xFFFFFFFFUL) {
    case 0x6969:
      return "NFS";
    case 0x517B:
    case 0xFE534D42:
      return "SMB";
    case 0xFF534D42:
      return "CIFS";
    case 0x01021997:
      return "9p";
    case 0x5346414F:
    case 0x6B414653:
      return "AFS";
    case 0x73757245:
      return "Coda";
    case 0x00C36400:
      return "Ceph";
    case 0x0BD00BD0:
      return "Lustre";
    case 0x47504653:
      return "GPFS";
    case 0x19830326:
      return "BeeGFS";
    case 0x01161970:
      return "GFS2";
    case 0x7461636F:
      return "OCFS2";
    default:
      return std::nullopt;
  }
}

std::optional<std::string> network_file_system(const fs::path& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return std::nullopt;
  return network_file_system_of(static_cast<unsigned long>(status.f_type));
}

void refuse_network(const fs::path& database, const fs::path& folder,
                    const std::optional<std::string>& network) {
  if (!network) return;
  throw store_error(
      fmt::format("the database would be on a network file system ({}), where SQLite is not safe", *network),
      database,
      fmt::format(R"(write database = "/local/path" into {}, or use another --store DIR)",
                  for_terminal((folder / "store.toml").string())));
}

}  // namespace brink
