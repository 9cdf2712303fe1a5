#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace brink {

/// Makes a store's folder (0700) with .gitignore, trials/, artifacts/ and toolchains/, or completes it.
/// Throws a store Error when it cannot be written, belongs to somebody else, or is a folder of other things.
void prepare_store(const std::filesystem::path& folder);

/// Where the store's database is: FOLDER/results.sqlite, or what `database` in FOLDER/store.toml names (a
/// file, or a folder for results.sqlite). Throws a store Error with FILE:LINE when store.toml is wrong.
std::filesystem::path database_file(const std::filesystem::path& folder);

/// The name of the network file system that a folder is on; nullopt for local ones. SQLite's locks and shared
/// memory cannot be trusted there.
std::optional<std::string> network_file_system(const std::filesystem::path& folder);
/// The same for the magic number of statfs(2).
std::optional<std::string> network_file_system_of(unsigned long magic);
/// Throws the store Error that prints the line of store.toml when the database would be on one.
void refuse_network(const std::filesystem::path& database, const std::filesystem::path& folder,
                    const std::optional<std::string>& network);

}  // namespace brink
