#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/toolchain/plan.hpp"
#include "harness/toolchain/read_toolchain.hpp"

namespace brink {

namespace {

Resources read_resources(const TomlValue& table, const std::string& where, Complaints& complaints) {
  TableReader reader(table, where, complaints);
  Resources resources;
  resources.cpus = static_cast<int>(reader.integer("cpus", 1, 100000).value_or(1));
  resources.gpus = static_cast<int>(reader.integer("gpus", 0, 10000).value_or(0));
  resources.memory_bytes = reader.bytes("memory").value_or(0);
  reader.finish();
  return resources;
}

/// Outputs are files of the trial's own folder: nothing may lead out of it.
bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

void read_argv(TableReader& reader, Stage& stage) {
  const auto argv = reader.texts("argv");
  if (!argv) return;
  if (argv->empty() || argv->front().empty())
    reader.complain("argv", "is empty", "the program and its arguments, each a string");
  stage.argv = *argv;
}

void read_outputs(TableReader& reader, Stage& stage) {
  const auto outputs = reader.text_table("outputs");
  if (!outputs) return;
  stage.outputs = *outputs;
  for (const auto& [name, file] : *outputs)
    if (!is_file_name(file))
      reader.complain("outputs", name + " = \"" + file + "\" is no file name", "a plain name, without /");
}

void read_stage(TableReader& reader, const std::string& where, Stage& stage, Complaints& complaints) {
  read_argv(reader, stage);
  if (const auto inputs = reader.text_table("inputs")) stage.inputs = *inputs;
  read_outputs(reader, stage);
  if (const auto depends = reader.texts("depends")) stage.depends = *depends;
  for (const char* key : {"environment", "env"})
    if (const auto environment = reader.text_table(key))
      for (const auto& [name, value] : *environment) stage.environment[name] = value;
  if (const TomlValue* limits = reader.table("limits"))
    stage.limits = read_limits(*limits, where + " limits", complaints);
  if (const TomlValue* resources = reader.table("resources"))
    stage.resources = read_resources(*resources, where + " resources", complaints);
}

/// Placeholders of one text that this stage could never fill.
void check_text(const Toolchain& toolchain, const Stage& stage, const std::string& text, int line,
                Complaints& complaints) {
  const std::string where = "stage " + stage.name;
  try {
    for (const std::string& name : placeholders(text)) {
      const bool in = name.starts_with("in."), out = name.starts_with("out.");
      const auto& files = in ? stage.inputs : stage.outputs;
      if ((in || out) && !files.contains(name.substr(in ? 3 : 4)))
        complaints.add(line, where, "{" + name + "} is none of its " + (in ? "inputs" : "outputs"),
                       std::string("declare it in ") + (in ? "inputs" : "outputs"));
      if ((name == "model" || name == "onnx") && !toolchain.needs.contains(name))
        complaints.add(line, where, "uses {" + name + "}, which the toolchain does not need",
                       "say needs = [\"" + name + "\"] in [toolchain]");
    }
  } catch (const Error& error) {
    complaints.add(line, where, error);
  }
}

void check_depends(const Toolchain& toolchain, const Stage& stage, int line, Complaints& complaints) {
  std::vector<std::string> known;
  for (const Parameter& parameter : toolchain.parameters) known.push_back(parameter.name);
  known.push_back("script");
  for (const std::string& name : stage.depends) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = did_you_mean(name, known);
    complaints.add(line, "stage " + stage.name, "depends on \"" + name + "\", which is no parameter",
                   near.substr(2));
  }
}

}  // namespace

LimitChoice read_limits(const TomlValue& table, const std::string& where, Complaints& complaints) {
  TableReader reader(table, where, complaints);
  LimitChoice limits;
  limits.wall = reader.duration("wall");
  limits.idle = reader.duration("idle");
  limits.grace = reader.duration("grace");
  limits.memory_bytes = reader.bytes("memory");
  reader.finish();
  return limits;
}

std::vector<std::string> placeholders_of(const Stage& stage) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& text) {
    for (std::string& name : placeholders(text))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (const std::string& argument : stage.argv) add(argument);
  for (const auto& entry : stage.environment) add(entry.second);
  return names;
}

void read_stages(TableReader& root, Toolchain& toolchain, Lines& lines, Complaints& complaints) {
  std::vector<std::string> seen;
  for (const TomlValue* table : root.tables("stage")) {
    TableReader unnamed(*table, "[[stage]]", complaints);
    const auto name = unnamed.name("name");
    if (!name) {
      if (!unnamed.has("name")) unnamed.missing("name");
      continue;
    }
    const std::string where = "stage " + *name;
    TableReader reader(*table, where, complaints);
    reader.name("name");
    if (std::find(seen.begin(), seen.end(), *name) != seen.end())
      complaints.add(table->line, where, "is there twice", "give each stage its own name");
    seen.push_back(*name);
    auto known = std::find_if(toolchain.stages.begin(), toolchain.stages.end(),
                              [&](const Stage& stage) { return stage.name == *name; });
    if (known == toolchain.stages.end()) {
      known = toolchain.stages.emplace(toolchain.stages.end());
      known->name = *name;
      if (!reader.has("argv")) reader.missing("argv", "the program and its arguments, each a string");
    }
    read_stage(reader, where, *known, complaints);
    reader.finish();
    for (const char* key : {"argv", "inputs", "outputs", "depends", "environment"})
      lines[where + " " + key] = reader.line(key);
  }
}

void check_toolchain(const Toolchain& toolchain, const Lines& lines, Complaints& complaints) {
  const auto line_of = [&](const std::string& what) {
    const auto line = lines.find(what);
    return line == lines.end() ? 1 : line->second;
  };
  std::map<std::string, std::string> files;
  for (std::size_t i = 0; i < toolchain.stages.size(); ++i) {
    const Stage& stage = toolchain.stages[i];
    const std::string where = "stage " + stage.name;
    for (const auto& [name, reference] : stage.inputs)
      if (!producer_of(toolchain.stages, i, reference))
        complaints.add(line_of(where + " inputs"), where,
                       "input " + name + ": no earlier stage has the output \"" + reference + "\"",
                       "write STAGE.NAME or the file's name");
    for (const auto& [name, file] : stage.outputs)
      if (const auto [other, is_new] = files.emplace(file, stage.name); !is_new)
        complaints.add(line_of(where + " outputs"), where,
                       "output " + name + ": stage " + other->second + " writes \"" + file + "\" too",
                       "give each output its own file name");
    for (const std::string& argument : stage.argv)
      check_text(toolchain, stage, argument, line_of(where + " argv"), complaints);
    for (const auto& entry : stage.environment)
      check_text(toolchain, stage, entry.second, line_of(where + " environment"), complaints);
    check_depends(toolchain, stage, line_of(where + " depends"), complaints);
  }
}

}  // namespace brink
