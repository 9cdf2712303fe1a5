#include <algorithm>

#include "harness/core/suggest.hpp"
#include "harness/toolchain/read_toolchain.hpp"

namespace brink {

namespace {

/// A pattern that is RE2 and not empty (which would match every line).
std::string read_pattern(TableReader& reader, const std::string& key) {
  const auto pattern = reader.text(key);
  if (!pattern) return "";
  try {
    if (pattern->empty()) reader.complain(key, "is empty and would match every line");
    check_pattern(*pattern, "");
  } catch (const Error& error) {
    reader.complain(key, error.message(), error.remedy());
  }
  return *pattern;
}

std::string read_stage_name(TableReader& reader, const Toolchain& toolchain) {
  const auto name = reader.text("stage");
  if (!name || name->empty()) return "";
  std::vector<std::string> known;
  for (const Stage& stage : toolchain.stages) known.push_back(stage.name);
  if (std::find(known.begin(), known.end(), *name) == known.end()) {
    const std::string near = did_you_mean(*name, known);
    reader.complain("stage", "there is no stage \"" + *name + "\"", near.size() > 2 ? near.substr(2) : "");
  }
  return *name;
}

Rule read_rule(TableReader& reader, const Toolchain& toolchain) {
  Rule rule;
  rule.failure_class = reader.name("class").value_or("");
  if (!reader.has("class")) reader.missing("class", "the name of the failure");
  rule.stage = read_stage_name(reader, toolchain);
  rule.match = read_pattern(reader, "match");
  if (!reader.has("match")) reader.missing("match", "a regular expression (RE2)");
  rule.capture = read_pattern(reader, "capture");
  rule.repeat = reader.boolean("repeat").value_or(false);
  rule.identify = reader.texts("identify").value_or(std::vector<std::string>{});
  rule.sample = reader.text("sample").value_or("");
  for (const std::string& name : rule.identify)
    if (rule.capture.find("(?P<" + name + ">") == std::string::npos)
      reader.complain("identify", "\"" + name + "\" is no group of capture",
                      "write (?P<" + name + ">…) there");
  if (rule.repeat && rule.capture.empty()) reader.complain("repeat", "repeats no capture", "add capture");
  reader.finish();
  return rule;
}

EarlyPattern read_early(TableReader& reader, const Toolchain& toolchain) {
  EarlyPattern early;
  early.match = read_pattern(reader, "match");
  if (!reader.has("match")) reader.missing("match", "a regular expression (RE2)");
  early.verdict = reader.text("verdict").value_or("");
  if (!reader.has("verdict"))
    reader.missing("verdict", "\"good\" or \"bad\"");
  else if (early.verdict != "good" && early.verdict != "bad")
    reader.complain("verdict", "\"" + early.verdict + "\" is no verdict that ends a stage",
                    "\"good\" or \"bad\"");
  early.decides = reader.texts("decides").value_or(std::vector<std::string>{});
  early.stage = read_stage_name(reader, toolchain);
  reader.finish();
  return early;
}

template <typename Value>
void put_before(std::vector<Value>& inherited, std::vector<Value> own) {
  inherited.insert(inherited.begin(), std::make_move_iterator(own.begin()),
                   std::make_move_iterator(own.end()));
}

}  // namespace

void read_rules(TableReader& root, Toolchain& toolchain, Complaints& complaints) {
  std::vector<Rule> rules;
  for (const TomlValue* table : root.tables("rule")) {
    TableReader reader(*table, "rule " + std::to_string(rules.size() + 1), complaints);
    rules.push_back(read_rule(reader, toolchain));
  }
  put_before(toolchain.rules.rules, std::move(rules));
  std::vector<EarlyPattern> early;
  for (const TomlValue* table : root.tables("early")) {
    TableReader reader(*table, "early " + std::to_string(early.size() + 1), complaints);
    early.push_back(read_early(reader, toolchain));
  }
  put_before(toolchain.early, std::move(early));
  std::vector<std::string> recoverable;
  for (const TomlValue* table : root.tables("recoverable")) {
    TableReader reader(*table, "recoverable " + std::to_string(recoverable.size() + 1), complaints);
    recoverable.push_back(read_pattern(reader, "match"));
    if (!reader.has("match")) reader.missing("match", "a regular expression (RE2)");
    reader.finish();
  }
  put_before(toolchain.rules.recoverable, std::move(recoverable));
}

}  // namespace brink
