#include <algorithm>

#include "harness/campaign/reading.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "synth_models/spec.hpp"

namespace brink {

namespace {

constexpr const char* kCode = "campaign-file";

bool is_hex(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

void check_target(const Target& target, TableReader& reader) {
  switch (target.kind) {
    case Target::Kind::any:
      return;
    case Target::Kind::failure_class:
      if (target.value.empty()) reader.complain("target", "names no class");
      return;
    case Target::Kind::signature:
      if (!is_hex(target.value))
        reader.complain("target", "\"" + target.value + "\" is no signature", "hex digits, as reports print");
      return;
    case Target::Kind::match:
      try {
        check_pattern(target.value, "");
      } catch (const Error& error) {
        reader.complain("target", error.message(), error.remedy());
      }
      return;
  }
}

Target read_target_table(const TomlValue& table, TableReader& reader, Complaints& complaints) {
  TableReader keys(table, "[campaign] target", complaints);
  Target target;
  int given = 0;
  const std::pair<const char*, Target::Kind> kinds[] = {{"class", Target::Kind::failure_class},
                                                        {"match", Target::Kind::match},
                                                        {"signature", Target::Kind::signature}};
  for (const auto& [key, kind] : kinds) {
    const auto value = keys.text(key);
    if (!keys.has(key)) continue;
    ++given;
    target.kind = kind;
    target.value = value.value_or("");
  }
  target.group = keys.text("group").value_or("");
  keys.finish();
  if (given != 1)
    reader.complain("target", given == 0 ? "names no failure" : "names more than one failure",
                    "one of class, match, signature");
  return target;
}

Target read_target(TableReader& reader, Complaints& complaints) {
  const TomlValue* value = reader.any("target");
  if (value == nullptr) return {};
  Target target;
  if (value->kind == TomlValue::Kind::table) {
    target = read_target_table(*value, reader, complaints);
  } else if (const auto text = reader.text("target")) {
    target = parse_target(*text);
  }
  check_target(target, reader);
  return target;
}

Budget read_budget(const TomlValue& table, Complaints& complaints) {
  TableReader reader(table, "[campaign] budget", complaints);
  Budget budget;
  budget.trials = reader.integer("trials", 1, INT64_MAX);
  if (const auto hours = reader.number("hours")) {
    if (*hours > 0 && *hours < 1e9)
      budget.seconds = *hours * 3600;
    else
      reader.complain("hours", "is not positive", "such as 12 or 0.5");
  }
  reader.finish();
  return budget;
}

void read_head(TableReader& head, Campaign& campaign, Complaints& complaints) {
  campaign.name = head.name("name").value_or("");
  if (!head.has("name")) head.missing("name");
  campaign.target = read_target(head, complaints);
  if (const TomlValue* limits = head.table("limits"))
    campaign.limits = read_limits(*limits, "[campaign] limits", complaints);
  if (const TomlValue* budget = head.table("budget")) campaign.budget = read_budget(*budget, complaints);
  campaign.priority = static_cast<int>(head.integer("priority", -1000000, 1000000).value_or(0));
  campaign.slots = static_cast<int>(head.integer("slots", 1, 10000).value_or(1));
  campaign.keep_logs = head.boolean("keep_logs").value_or(false);
}

void read_model(TableReader& root, Campaign& campaign, Lines& lines, Complaints& complaints) {
  const auto model = root.text_table("model");
  if (!model) return;
  TableReader reader(*root.table("model"), "[model]", complaints);
  for (const std::string& name : synth::field_names()) reader.any(name);
  if (reader.any("base") != nullptr)
    reader.complain("base", "slicing a real checkpoint is not in this version", "use preset and fields");
  reader.finish();
  campaign.model = *model;
  lines["model"] = reader.line();
  for (const auto& entry : *model) lines["model " + entry.first] = reader.line(entry.first);
}

void read_options(TableReader& root, Campaign& campaign, Lines& lines) {
  const auto options = root.text_table("options");
  if (!options) return;
  campaign.options = *options;
  for (const TomlValue::Field& field : root.table("options")->fields)
    lines["option " + field.name] = field.line;
}

void read_script(TableReader& root, Campaign& campaign, Lines& lines, Complaints& complaints) {
  const TomlValue* table = root.table("script");
  if (table == nullptr) return;
  TableReader reader(*table, "[script]", complaints);
  campaign.script = reader.texts("lines").value_or(std::vector<std::string>{});
  lines["script"] = reader.line("lines");
  for (const std::string& line : campaign.script)
    if (line.find('\n') != std::string::npos)
      reader.complain("lines", "one line holds a line break", "write two lines");
  reader.finish();
}

/// [toolchain] and its tables in the campaign file itself.
Toolchain read_inline(TableReader& root, const Campaign& campaign,
                      const std::vector<std::filesystem::path>& folders, Lines& lines,
                      Complaints& complaints) {
  const TomlValue* table = root.table("toolchain");
  if (table == nullptr) return {};
  TableReader head(*table, "[toolchain]", complaints);
  Toolchain toolchain = starting_toolchain(head, campaign.file, folders);
  toolchain.name = head.name("name").value_or(campaign.name);
  read_toolchain(root, head, toolchain, lines, complaints);
  head.finish();
  if (!root.has("stage") && !head.has("base"))
    complaints.add(table->line, "[toolchain]", "has no [[stage]]", "add one");
  if (!complaints.any()) check_toolchain(toolchain, lines, complaints);
  return toolchain;
}

Toolchain toolchain_of(TableReader& root, TableReader& head, const Campaign& campaign,
                       const std::vector<std::filesystem::path>& folders, Lines& lines,
                       Complaints& complaints) {
  const auto name = head.name("toolchain");
  if (root.has("toolchain")) {
    if (head.has("toolchain")) head.complain("toolchain", "is named beside a [toolchain] table", "keep one");
    return read_inline(root, campaign, folders, lines, complaints);
  }
  if (!name) {
    if (!head.has("toolchain")) head.missing("toolchain", "name one, or write a [toolchain] table");
    return {};
  }
  std::vector<std::filesystem::path> places{campaign.directory};
  places.insert(places.end(), folders.begin(), folders.end());
  std::filesystem::path found;
  try {
    found = find_toolchain(*name, places);
  } catch (const Error& error) {
    head.complain("toolchain", error.message(), error.remedy());
    return {};
  }
  return load_toolchain(found, places);
}

}  // namespace

Campaign load_campaign(const std::filesystem::path& file,
                       const std::vector<std::filesystem::path>& toolchain_folders) {
  const TomlValue tree = read_toml(file, kCode);
  Complaints complaints(file, kCode);
  TableReader root(tree, "", complaints);
  Campaign campaign;
  campaign.file = std::filesystem::absolute(file).lexically_normal();
  campaign.directory = campaign.file.parent_path();
  const TomlValue* table = root.table("campaign");
  if (table == nullptr) {
    if (!root.has("campaign"))
      complaints.add(1, "", "[campaign] is missing", "it needs a name and a toolchain");
    complaints.throw_if_any();
    return campaign;
  }
  Lines lines;
  TableReader head(*table, "[campaign]", complaints);
  read_head(head, campaign, complaints);
  campaign.toolchain = toolchain_of(root, head, campaign, toolchain_folders, lines, complaints);
  head.finish();
  read_model(root, campaign, lines, complaints);
  read_options(root, campaign, lines);
  read_script(root, campaign, lines, complaints);
  read_experiments(root, campaign, lines, complaints);
  root.finish();
  if (!complaints.any()) check_campaign(campaign, root.has("toolchain"), lines, complaints);
  complaints.throw_if_any();
  return campaign;
}

}  // namespace brink
