#include "harness/toolchain/plan.hpp"

#include <algorithm>
#include <utility>

#include "harness/core/digest.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/toolchain/file_inputs.hpp"
#include "harness/toolchain/placeholders.hpp"

namespace brink {

namespace {

/// Every name and value with its length, so that no two lists of parts have the same bytes.
std::string digest_of(const std::vector<KeyPart>& parts) {
  Sha256 hash;
  for (const KeyPart& part : parts)
    for (const std::string* text : {&part.name, &part.value})
      hash.add(std::to_string(text->size()) + ":" + *text);
  return hash.hex();
}

/// A template in its two forms: with the paths of this trial, and as the key has it. Paths vary from trial to
/// trial, so the key writes what they mean: "{out.hef:model.hef}".
struct Filled {
  std::string text, shown;
  bool reads_model = false, reads_script = false, writes_path = false;
};

/// Plans one stage after the other.
class Plan {
 public:
  Plan(const Toolchain& toolchain, const PlanInputs& inputs, FileDigests& digests)
      : toolchain_(toolchain), inputs_(inputs), digests_(digests) {}

  TrialPlan make();

 private:
  struct Made {
    PlannedStage planned;
    std::vector<KeyPart> own;
  };

  void plan_stage(std::size_t index);
  void set_values(std::size_t index);
  Filled filled(const std::string& text) const;
  JobStage job_of(const Stage& stage, const std::vector<Filled>& argv,
                  const std::map<std::string, Filled>& environment) const;
  void add_files(const std::vector<Filled>& argv, const JobStage& job, std::vector<KeyPart>& parts);
  void add_environment(const std::map<std::string, Filled>& environment, std::vector<KeyPart>& parts) const;
  void add_options(const Stage& stage, bool reads_script, std::vector<KeyPart>& parts) const;
  void add_container(std::vector<KeyPart>& parts) const;
  std::map<std::string, Filled> environment_of(const Stage& stage) const;

  const Toolchain& toolchain_;
  const PlanInputs& inputs_;
  FileDigests& digests_;
  std::map<std::string, std::string> paths_;    ///< placeholders that stand for paths of this trial
  std::map<std::string, std::string> meaning_;  ///< the same, as the key writes them
  std::vector<Made> made_;
  std::vector<WatchedFile> watched_;
};

void Plan::set_values(std::size_t index) {
  const Stage& stage = toolchain_.stages[index];
  const auto out = inputs_.folder / "out";
  paths_ = {{"dir", (inputs_.folder / "work").string()},
            {"script", (inputs_.folder / "script.alls").string()},
            {"toolchain", toolchain_.folder.string()},
            {"model", inputs_.model.string()},
            {"onnx", inputs_.onnx.string()}};
  meaning_.clear();
  for (const auto& entry : paths_) meaning_[entry.first] = "{" + entry.first + "}";
  for (const auto& [name, file] : stage.outputs) {
    paths_["out." + name] = (out / file).string();
    meaning_["out." + name] = "{out." + name + ":" + file + "}";
  }
  for (const auto& [name, reference] : stage.inputs) {
    const auto producer = producer_of(toolchain_.stages, index, reference);
    if (!producer)
      throw usage_error("stage " + stage.name + ": no earlier stage has the output \"" + reference + "\"");
    const std::string& file = toolchain_.stages[producer->stage].outputs.at(producer->output);
    paths_["in." + name] = (out / file).string();
    meaning_["in." + name] = "{in." + name + ":" + file + "}";
  }
  // A one-liner has no files of ours: all names are free for its axes.
  if (toolchain_.folder.empty())
    for (const auto& entry : inputs_.config.values) paths_.erase(entry.first);
}

Filled Plan::filled(const std::string& text) const {
  Filled result;
  for (const Piece& piece : pieces_of(text)) {
    if (!piece.is_placeholder) {
      result.text += piece.text;
      result.shown += with_doubled_braces(piece.text);
      continue;
    }
    const std::string& name = piece.text;
    if (const auto path = paths_.find(name); path != paths_.end()) {
      result.text += path->second;
      result.shown += meaning_.at(name);
      result.reads_model |= name == "model" || name == "onnx";
      result.reads_script |= name == "script";
      result.writes_path |= name != "toolchain";
      continue;
    }
    const auto value = inputs_.config.values.find(name);
    if (value == inputs_.config.values.end()) {
      std::vector<std::string> known;
      for (const auto& entry : inputs_.config.values) known.push_back(entry.first);
      for (const auto& entry : paths_) known.push_back(entry.first);
      throw usage_error(unknown_placeholder(name, known));
    }
    result.text += value->second;
    result.shown += with_doubled_braces(value->second);
  }
  return result;
}

std::map<std::string, Filled> Plan::environment_of(const Stage& stage) const {
  std::map<std::string, Filled> environment;
  for (const auto* table : {&toolchain_.environment, &stage.environment})
    for (const auto& [name, value] : *table) environment[name] = filled(value);
  return environment;
}

JobStage Plan::job_of(const Stage& stage, const std::vector<Filled>& argv,
                      const std::map<std::string, Filled>& environment) const {
  JobStage job;
  job.name = stage.name;
  for (const Filled& argument : argv) job.argv.push_back(argument.text);
  job.environment = inputs_.base_environment;
  for (const auto& [name, value] : inputs_.passed_environment) job.environment[name] = value;
  for (const auto& [name, value] : environment) job.environment[name] = value.text;
  job.directory = inputs_.directory.empty() ? inputs_.folder / "work" : inputs_.directory;
  job.limits = inputs_.limits;
  if (stage.limits.wall) job.limits.wall = *stage.limits.wall;
  if (stage.limits.idle) job.limits.idle = stage.limits.idle;
  if (stage.limits.grace) job.limits.grace = *stage.limits.grace;
  if (stage.limits.memory_bytes) job.limits.memory_bytes = stage.limits.memory_bytes;
  for (const auto& output : stage.outputs) job.outputs.emplace_back(paths_.at("out." + output.first));
  const auto& good = toolchain_.rules.exit_codes.good;
  job.success.assign(good.begin(), good.end());
  for (const EarlyPattern& early : toolchain_.early)
    if (early.stage.empty() || early.stage == stage.name) job.early.push_back(early);
  return job;
}

void Plan::add_files(const std::vector<Filled>& argv, const JobStage& job, std::vector<KeyPart>& parts) {
  std::vector<std::string> shown;
  std::vector<bool> may_be_input;
  for (const Filled& argument : argv) {
    shown.push_back(argument.shown);
    may_be_input.push_back(!argument.writes_path);
  }
  const auto path = job.environment.find("PATH");
  const FileView view{job.directory, path == job.environment.end() ? "" : path->second,
                      toolchain_.container ? &*toolchain_.container : nullptr, toolchain_.folder};
  FileParts files = file_parts(job.argv, shown, may_be_input, view, digests_);
  parts.insert(parts.end(), files.parts.begin(), files.parts.end());
  for (WatchedFile& file : files.watched)
    if (std::none_of(watched_.begin(), watched_.end(),
                     [&](const WatchedFile& known) { return known.file == file.file; }))
      watched_.push_back(std::move(file));
}

void Plan::add_environment(const std::map<std::string, Filled>& environment,
                           std::vector<KeyPart>& parts) const {
  for (const auto& [name, value] : environment) parts.push_back({"environment " + name, value.shown});
  for (const std::string& name : toolchain_.pass_environment) {
    if (environment.contains(name)) continue;
    const auto value = inputs_.passed_environment.find(name);
    parts.push_back({"environment " + name, value == inputs_.passed_environment.end()
                                                ? "not set"
                                                : "digest " + sha256(value->second)});
  }
}

void Plan::add_options(const Stage& stage, bool reads_script, std::vector<KeyPart>& parts) const {
  for (const std::string& name : stage.depends) {
    if (name == "script") {
      reads_script = true;
      continue;
    }
    const auto value = inputs_.config.values.find(name);
    parts.push_back(
        {"option " + name, value == inputs_.config.values.end() ? "not set" : "=" + value->second});
  }
  if (reads_script) parts.push_back({"script", inputs_.script});
}

void Plan::add_container(std::vector<KeyPart>& parts) const {
  if (!toolchain_.container) return;
  const ContainerOptions& container = *toolchain_.container;
  for (const auto& [name, value] : container.environment)
    parts.push_back({"container environment " + name, value});
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"container devices", &container.devices},
      {"container groups", &container.groups},
      {"container mounts", &container.mounts},
      {"container options", &container.options}};
  for (const auto& [name, list] : lists)
    if (!list->empty()) parts.push_back({name, shell_text(*list)});
}

void Plan::plan_stage(std::size_t index) {
  const Stage& stage = toolchain_.stages[index];
  set_values(index);
  std::vector<Filled> argv;
  std::vector<std::string> shown;
  for (const std::string& argument : stage.argv) {
    argv.push_back(filled(argument));
    shown.push_back(argv.back().shown);
  }
  const auto environment = environment_of(stage);
  bool reads_model = false, reads_script = false;
  const auto note = [&](const Filled& text) {
    reads_model |= text.reads_model;
    reads_script |= text.reads_script;
  };
  for (const Filled& argument : argv) note(argument);
  for (const auto& entry : environment) note(entry.second);

  Made made;
  made.planned.job = job_of(stage, argv, environment);
  made.own.push_back({"arguments", shell_text(shown)});
  add_files(argv, made.planned.job, made.own);
  if (!inputs_.directory.empty()) made.own.push_back({"directory", inputs_.directory_key});
  add_environment(environment, made.own);
  add_container(made.own);
  if (reads_model) made.own.push_back({"model", inputs_.model_key});
  add_options(stage, reads_script, made.own);

  std::vector<KeyPart> all = inputs_.identity;
  all.insert(all.end(), made.own.begin(), made.own.end());
  for (const auto& [name, reference] : stage.inputs) {
    const auto producer = producer_of(toolchain_.stages, index, reference);
    made.planned.inputs.emplace_back(paths_.at("in." + name));
    all.push_back({"input " + name, made_[producer->stage].planned.key});
  }
  for (const auto& output : stage.outputs)
    made.planned.outputs[output.first] = paths_.at("out." + output.first);
  made.planned.key = digest_of(all);
  made_.push_back(std::move(made));
}

TrialPlan Plan::make() {
  for (std::size_t i = 0; i < toolchain_.stages.size(); ++i) plan_stage(i);
  TrialPlan plan;
  plan.parts = inputs_.identity;
  for (Made& made : made_) {
    for (KeyPart& part : made.own) {
      if (made_.size() > 1) part.name = made.planned.job.name + ": " + part.name;
      plan.parts.push_back(std::move(part));
    }
    plan.stages.push_back(std::move(made.planned));
  }
  plan.key = digest_of(plan.parts);
  plan.watched = std::move(watched_);
  return plan;
}

/// The inputs with a star for everything that varies, so that all trials of one axis agree. The digest of the
/// model varies with an axis that is none of the toolchain's own.
PlanInputs without_varying(const Toolchain& toolchain, const PlanInputs& inputs) {
  PlanInputs fixed = inputs;
  for (const std::string& name : inputs.varying) {
    fixed.config.values[name] = "*";
    const bool own =
        name == "script" || std::any_of(toolchain.parameters.begin(), toolchain.parameters.end(),
                                        [&](const Parameter& known) { return known.name == name; });
    if (name == "script") fixed.script = "*";
    if (!own) fixed.model_key = "*";
  }
  return fixed;
}

}  // namespace

std::optional<Producer> producer_of(const std::vector<Stage>& stages, std::size_t reader,
                                    const std::string& reference) {
  for (std::size_t i = std::min(reader, stages.size()); i-- > 0;)
    for (const auto& [name, file] : stages[i].outputs)
      if (file == reference || stages[i].name + "." + name == reference) return Producer{i, name};
  return std::nullopt;
}

TrialPlan plan_trial(const Toolchain& toolchain, const PlanInputs& inputs, FileDigests& digests) {
  TrialPlan plan = Plan(toolchain, inputs, digests).make();
  const PlanInputs fixed = without_varying(toolchain, inputs);
  plan.family = Plan(toolchain, fixed, digests).make().key;
  return plan;
}

}  // namespace brink
