#include "harness/runner/planner.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "harness/core/digest.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/text.hpp"
#include "synth_models/model.hpp"

namespace brink {

namespace {

/// Part of every model's key: raise it when synth_models writes other bytes for the same spec.
constexpr std::string_view kModelFormat = "brink.model/1";

std::map<std::string, std::string> picked(const std::map<std::string, std::string>& from,
                                          const std::vector<std::string>& names) {
  std::map<std::string, std::string> some;
  for (const std::string& name : names)
    if (const auto entry = from.find(name); entry != from.end()) some.insert(*entry);
  return some;
}

std::string script_text(const Campaign& campaign, const Config& config) {
  std::string text;
  for (const std::string& line : campaign.script) text += line + "\n";
  if (const auto line = config.values.find("script"); line != config.values.end() && !line->second.empty())
    text += line->second + "\n";
  return text;
}

bool decides_target(const EarlyPattern& early, const Target& target) {
  if (early.verdict == "bad") return true;
  return target.kind == Target::Kind::failure_class &&
         std::find(early.decides.begin(), early.decides.end(), target.value) != early.decides.end();
}

void copy_output(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw infrastructure_error("cached output cannot be copied: " + error.message(), from.string());
}

/// A shape inside a range may be impossible though both ends are not.
synth::ModelSpec spec_of(const std::map<std::string, std::string>& fields) {
  try {
    return synth::spec_from_fields(fields);
  } catch (const synth::SpecError& error) {
    throw infrastructure_error(std::string("a model of the range cannot be: ") + error.what(), error.field());
  }
}

void write_model_into(const std::filesystem::path& folder, const synth::ModelSpec& spec, bool graph) {
  make_folder(folder.parent_path());
  try {
    synth::write_model(spec, folder, graph ? synth::GraphStyle::dfc : synth::GraphStyle::none);
  } catch (const std::system_error& error) {
    throw infrastructure_error(std::string("the model cannot be written: ") + error.what(), folder.string());
  }
}

std::filesystem::path cached(const std::filesystem::path& store, const PlannedStage& stage,
                             const std::string& name) {
  return store / "artifacts" / "stages" / stage.key / name;
}

}  // namespace

Planner::Planner(Campaign campaign, std::filesystem::path store_folder,
                 std::map<std::string, std::string> environment)
    : campaign_(std::move(campaign)),
      store_folder_(std::filesystem::absolute(store_folder).lexically_normal()),
      environment_(std::move(environment)) {
  if (!store_folder_.has_filename()) store_folder_ = store_folder_.parent_path();
}

void Planner::establish_identity() {
  const Toolchain& toolchain = campaign_.toolchain;
  identity_.clear();
  identity_text_.clear();
  const auto note = [&](const std::string& name, const std::string& value) {
    identity_.push_back({name, value});
    identity_text_ += (identity_text_.empty() ? "" : "\n") + std::string(trim(value));
  };
  if (toolchain.container) {
    engine_ = open_engine(container_options());
    note("image", engine_->image_id);
  }
  std::map<std::string, std::string> environment = picked(environment_, {"PATH", "HOME", "LANG", "TMPDIR"});
  for (const auto& [name, value] : identity_environment(toolchain)) environment[name] = value;
  for (const auto& argv : toolchain.identity) {
    std::vector<std::string> command;
    for (const std::string& argument : argv)
      command.push_back(fill(argument, {{"toolchain", toolchain.folder.string()}}));
    const auto directory = campaign_.directory.empty() ? std::filesystem::path("/") : campaign_.directory;
    note("toolchain identity",
         engine_ ? identity_in_container(command) : output_of(command, environment, directory));
  }
}

ContainerOptions Planner::container_options() const {
  ContainerOptions options = *campaign_.toolchain.container;
  for (std::string& mount : options.mounts)
    mount = fill(mount, {{"toolchain", campaign_.toolchain.folder.string()}});
  return options;
}

std::string Planner::identity_in_container(const std::vector<std::string>& command) const {
  ContainerOptions options = container_options();
  for (const auto& [name, value] : identity_environment(campaign_.toolchain))
    options.environment[name] = value;
  return output_in_container(command, options, *engine_, {});
}

std::map<std::string, std::string> Planner::model_fields(const Config& config) const {
  auto fields = campaign_.model;
  const auto names = synth::field_names();
  for (const auto& [name, value] : config.values)
    if (std::find(names.begin(), names.end(), name) != names.end()) fields[name] = value;
  return fields;
}

std::filesystem::path Planner::model_folder(const std::string& model_key) const {
  return store_folder_ / "artifacts" / "models" / model_key.substr(0, 32);
}

PlanInputs Planner::inputs_of(const Experiment& experiment, const Config& config,
                              const std::filesystem::path& folder) const {
  PlanInputs inputs;
  inputs.config = config;
  for (const Axis& axis : experiment.axes) inputs.varying.push_back(axis.name());
  inputs.script = script_text(campaign_, config);
  inputs.identity = identity_;
  if (campaign_.ad_hoc) {
    inputs.directory = campaign_.directory;
    inputs.directory_key = campaign_.directory.lexically_proximate(store_folder_.parent_path()).string();
  }
  inputs.folder = folder;
  if (campaign_.limits.wall) inputs.limits.wall = *campaign_.limits.wall;
  if (campaign_.limits.idle) inputs.limits.idle = campaign_.limits.idle;
  if (campaign_.limits.grace) inputs.limits.grace = *campaign_.limits.grace;
  if (campaign_.limits.memory_bytes) inputs.limits.memory_bytes = campaign_.limits.memory_bytes;
  // The machine's PATH and folders mean nothing inside an image, which brings its own.
  if (!campaign_.toolchain.container)
    inputs.base_environment = picked(environment_, {"PATH", "HOME", "LANG", "TMPDIR"});
  inputs.passed_environment = picked(environment_, campaign_.toolchain.pass_environment);
  if (campaign_.target.kind == Target::Kind::match) inputs.keep.push_back(campaign_.target.value);
  return inputs;
}

TrialPlan Planner::plan(const Experiment& experiment, const Config& config,
                        const std::filesystem::path& folder) {
  PlanInputs inputs = inputs_of(experiment, config, folder);
  if (!campaign_.toolchain.needs.empty()) {
    const auto spec = spec_of(model_fields(config));
    inputs.model_key = sha256(std::string(kModelFormat) + synth::spec_to_json(spec));
    inputs.model = model_folder(inputs.model_key);
    inputs.onnx = inputs.model / "onnx";
  }
  return plan_trial(campaign_.toolchain, inputs, digests_);
}

std::string Planner::family(const Experiment& experiment) {
  Config config = config_of(campaign_, experiment, Point(experiment.axes.size(), 0));
  for (const Axis& axis : experiment.axes) config.values[axis.name()] = "*";
  PlanInputs inputs = inputs_of(experiment, config, store_folder_ / "trials" / "family");
  if (!campaign_.toolchain.needs.empty()) {
    std::string fields(kModelFormat);
    for (const auto& [name, value] : model_fields(config)) fields += "\n" + name + "=" + value;
    inputs.model_key = sha256(fields);
    inputs.model = model_folder(inputs.model_key);
    inputs.onnx = inputs.model / "onnx";
  }
  return plan_trial(campaign_.toolchain, inputs, digests_).key;
}

std::size_t Planner::place_cached_outputs(const TrialPlan& plan) const {
  std::size_t skip = 0;
  // The last stage is the trial itself: it is never answered from the cache of outputs.
  for (std::size_t i = plan.stages.size(); i-- > 1 && skip == 0;) {
    const bool all =
        std::all_of(plan.stages.begin(), plan.stages.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const PlannedStage& stage) {
                      return std::all_of(stage.outputs.begin(), stage.outputs.end(), [&](const auto& output) {
                        return stamp_of(cached(store_folder_, stage, output.first)).has_value();
                      });
                    });
    if (all) skip = i;
  }
  for (std::size_t i = 0; i < skip; ++i)
    for (const auto& [name, file] : plan.stages[i].outputs)
      copy_output(cached(store_folder_, plan.stages[i], name), file);
  return skip;
}

Job Planner::prepare(const Experiment& experiment, const Config& config, const TrialPlan& plan,
                     const std::string& trial, const std::string& attempt,
                     const std::filesystem::path& folder) {
  const PlanInputs inputs = inputs_of(experiment, config, folder);
  if (!campaign_.toolchain.needs.empty()) {
    const auto spec = spec_of(model_fields(config));
    const auto model = model_folder(sha256(std::string(kModelFormat) + synth::spec_to_json(spec)));
    if (!std::filesystem::exists(model))
      write_model_into(model, spec, campaign_.toolchain.needs.contains("onnx"));
  }
  if (!campaign_.ad_hoc) {
    make_folder(folder / "work");
    make_folder(folder / "out");
    if (!inputs.script.empty() || !campaign_.script.empty() || campaign_.toolchain.stages.size() > 1)
      write_file(folder / "script.alls", inputs.script);
  }
  Job job;
  job.trial = trial;
  job.attempt = attempt;
  job.folder = folder;
  job.watched = plan.watched;
  job.keep = inputs.keep;
  for (const Rule& rule : campaign_.toolchain.rules.rules) job.keep.push_back(rule.match);
  const std::size_t skip = place_cached_outputs(plan);
  for (std::size_t i = skip; i < plan.stages.size(); ++i) {
    JobStage stage = plan.stages[i].job;
    std::erase_if(stage.early,
                  [&](const EarlyPattern& early) { return !decides_target(early, campaign_.target); });
    job.stages.push_back(std::move(stage));
  }
  if (engine_) wrap_in_containers(job, plan);
  return job;
}

std::map<std::filesystem::path, bool> Planner::mounts_of(const TrialPlan&,
                                                         const std::filesystem::path& folder) const {
  std::map<std::filesystem::path, bool> mounts{{folder, false}};
  if (!campaign_.toolchain.needs.empty()) mounts[store_folder_ / "artifacts" / "models"] = true;
  const auto& own = campaign_.directory;
  if (campaign_.ad_hoc && !own.empty() && own != "/" && campaign_.toolchain.container->rootfs.empty())
    mounts[own] = false;
  return mounts;
}

void Planner::wrap_in_containers(Job& job, const TrialPlan& plan) const {
  const auto mounts = mounts_of(plan, job.folder);
  const ContainerOptions options = container_options();
  for (JobStage& stage : job.stages)
    stage = in_container(stage, options, *engine_, job.trial, job.attempt, job.folder, mounts);
}

void Planner::keep_outputs(const TrialPlan& plan, const std::vector<std::string>& succeeded,
                           const std::filesystem::path& folder) const {
  std::error_code ignored;  // the cache is a convenience: losing an entry costs a stage, never an answer
  for (const PlannedStage& stage : plan.stages) {
    if (std::find(succeeded.begin(), succeeded.end(), stage.job.name) == succeeded.end()) continue;
    for (const auto& [name, file] : stage.outputs) {
      const auto to = cached(store_folder_, stage, name);
      std::filesystem::create_directories(to.parent_path(), ignored);
      std::filesystem::rename(file, to, ignored);
    }
  }
  std::filesystem::remove_all(folder / "out", ignored);
  std::filesystem::remove_all(folder / "work", ignored);
}

std::vector<std::vector<std::string>> Planner::commands(const TrialPlan& plan) const {
  std::vector<std::vector<std::string>> all;
  for (const PlannedStage& stage : plan.stages) all.push_back(stage.job.argv);
  return all;
}

std::optional<std::string> Planner::masked_job(Job job) const {
  bool hidden = false;
  for (JobStage& stage : job.stages) {
    for (const std::string& name : campaign_.toolchain.pass_environment) {
      const auto entry = stage.environment.find(name);
      if (entry == stage.environment.end()) continue;
      // An engine gets the value as an argument of its client.
      for (std::string& argument : stage.argv)
        if (argument == "--env=" + name + "=" + entry->second) argument = "--env=" + name + "=***";
      entry->second = "***";
      hidden = true;
    }
  }
  if (!hidden) return std::nullopt;
  return job_to_json(job);
}

}  // namespace brink
