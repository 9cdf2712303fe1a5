#include <algorithm>
#include <set>

#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "harness/toolchain/read_toolchain.hpp"

namespace brink {

namespace {

constexpr const char* kCode = "toolchain-file";

/// {toolchain} of the arguments: always absolute, since stages run elsewhere.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(file), error);
  return (error ? std::filesystem::absolute(file).lexically_normal() : real).parent_path();
}

Toolchain load(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders,
               std::set<std::filesystem::path> open);

Toolchain start(TableReader& head, const std::filesystem::path& file,
                const std::vector<std::filesystem::path>& folders,
                const std::set<std::filesystem::path>& open) {
  Toolchain fresh;
  fresh.folder = folder_of(file);
  const auto base = head.name("base");
  if (!base) return fresh;
  std::vector<std::filesystem::path> places{fresh.folder};
  places.insert(places.end(), folders.begin(), folders.end());
  std::filesystem::path found;
  try {
    found = find_toolchain(*base, places);
  } catch (const Error& error) {
    head.complain("base", error.message(), error.remedy());
    return fresh;
  }
  if (open.contains(std::filesystem::weakly_canonical(found))) {
    head.complain("base", "\"" + *base + "\" leads back to this file");
    return fresh;
  }
  return load(found, folders, open);
}

Toolchain load(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders,
               std::set<std::filesystem::path> open) {
  const TomlValue tree = read_toml(file, kCode);
  open.insert(std::filesystem::weakly_canonical(file));
  Complaints complaints(file, kCode);
  TableReader root(tree, "", complaints);
  const TomlValue* table = root.table("toolchain");
  if (table == nullptr) {
    if (!root.has("toolchain")) complaints.add(1, "", "[toolchain] is missing", "it needs a name");
    complaints.throw_if_any();
    return {};
  }
  TableReader head(*table, "[toolchain]", complaints);
  Toolchain toolchain = start(head, file, folders, open);
  toolchain.name = head.name("name").value_or("");
  if (!head.has("name")) head.missing("name");
  Lines lines;
  read_toolchain(root, head, toolchain, lines, complaints);
  head.finish();
  root.finish();
  if (!root.has("stage") && !head.has("base")) complaints.add(1, "", "no [[stage]]", "add one");
  if (!complaints.any()) check_toolchain(toolchain, lines, complaints);
  complaints.throw_if_any();
  return toolchain;
}

std::vector<std::string> toolchains_in(const std::vector<std::filesystem::path>& folders) {
  std::set<std::string> names;
  for (const auto& folder : folders) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".toml") names.insert(entry->path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace

Toolchain starting_toolchain(TableReader& head, const std::filesystem::path& file,
                             const std::vector<std::filesystem::path>& folders) {
  return start(head, file, folders, {});
}

Toolchain load_toolchain(const std::filesystem::path& file,
                         const std::vector<std::filesystem::path>& folders) {
  return load(file, folders, {});
}

std::filesystem::path find_toolchain(const std::string& name,
                                     const std::vector<std::filesystem::path>& folders) {
  const std::string shown = "\"" + shorten(for_terminal(name), 80) + "\"";
  if (name.empty() || name.find('/') != std::string::npos || name.find('\0') != std::string::npos)
    throw Error(Exit::usage, kCode, shown + " is no toolchain's name", "",
                "name it without folder and .toml");
  for (const auto& folder : folders) {
    std::error_code error;
    const auto file = folder / (name + ".toml");
    if (std::filesystem::is_regular_file(file, error)) return file;
  }
  const auto known = toolchains_in(folders);
  const std::string near = did_you_mean(name, known);
  std::vector<std::string> places;
  for (const auto& folder : folders) places.push_back(folder.string());
  throw Error(Exit::usage, kCode, "there is no toolchain " + shown, "",
              near.size() > 2 ? near.substr(2) : "looked for " + name + ".toml in " + join(places, ", "));
}

}  // namespace brink
