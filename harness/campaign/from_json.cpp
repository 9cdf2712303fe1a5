#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/campaign/campaign.hpp"
#include "harness/campaign/json_text.hpp"
#include "harness/core/error.hpp"

namespace brink {

namespace {

using nlohmann::json;

template <typename Value>
std::optional<Value> optional_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

std::optional<std::chrono::milliseconds> duration_of(const json& value) {
  if (value.is_null()) return std::nullopt;
  return std::chrono::milliseconds(value.get<std::int64_t>());
}

LimitChoice limits_of(const json& object) {
  return {duration_of(object.at("wall_ms")), duration_of(object.at("idle_ms")),
          duration_of(object.at("grace_ms")), optional_of<std::uint64_t>(object.at("memory_bytes"))};
}

Parameter parameter_of(const json& object) {
  Parameter parameter;
  parameter.name = text_of(object.at("name"));
  parameter.type = static_cast<Parameter::Type>(object.at("type").get<int>());
  parameter.one_of = texts_of(object.at("one_of"));
  if (object.contains("default")) parameter.fallback = text_of(object.at("default"));
  if (object.contains("min")) parameter.min = parse_int(object.at("min").get<std::string>());
  if (object.contains("max")) parameter.max = parse_int(object.at("max").get<std::string>());
  return parameter;
}

Stage stage_of(const json& object) {
  Stage stage;
  stage.name = text_of(object.at("name"));
  stage.argv = texts_of(object.at("argv"));
  stage.inputs = map_of(object.at("inputs"));
  stage.outputs = map_of(object.at("outputs"));
  stage.depends = texts_of(object.at("depends"));
  stage.environment = map_of(object.at("environment"));
  stage.limits = limits_of(object.at("limits"));
  stage.resources = {object.at("cpus").get<int>(), object.at("gpus").get<int>(),
                     object.at("memory_bytes").get<std::uint64_t>()};
  return stage;
}

ContainerOptions container_of(const json& object) {
  ContainerOptions container;
  container.engine = text_of(object.at("engine"));
  container.image = text_of(object.at("image"));
  container.rootfs = text_of(object.at("rootfs"));
  container.devices = texts_of(object.at("devices"));
  container.groups = texts_of(object.at("groups"));
  container.mounts = texts_of(object.at("mounts"));
  container.options = texts_of(object.at("options"));
  container.environment = map_of(object.at("environment"));
  container.init = object.at("init").get<bool>();
  return container;
}

Rule rule_of(const json& object) {
  return {text_of(object.at("class")),   text_of(object.at("stage")),     text_of(object.at("match")),
          text_of(object.at("capture")), object.at("repeat").get<bool>(), texts_of(object.at("identify")),
          text_of(object.at("sample"))};
}

EarlyPattern early_of(const json& object) {
  return {text_of(object.at("match")), text_of(object.at("verdict")), texts_of(object.at("decides")),
          text_of(object.at("stage"))};
}

Toolchain toolchain_of(const json& object) {
  Toolchain toolchain;
  toolchain.name = text_of(object.at("name"));
  toolchain.folder = text_of(object.at("folder"));
  for (const json& argv : object.at("identity")) toolchain.identity.push_back(texts_of(argv));
  toolchain.needs = object.at("needs").get<std::set<std::string>>();
  for (const json& parameter : object.at("parameters"))
    toolchain.parameters.push_back(parameter_of(parameter));
  if (object.contains("container")) toolchain.container = container_of(object.at("container"));
  toolchain.environment = map_of(object.at("environment"));
  toolchain.pass_environment = texts_of(object.at("pass_environment"));
  for (const json& stage : object.at("stages")) toolchain.stages.push_back(stage_of(stage));
  for (const json& rule : object.at("rules")) toolchain.rules.rules.push_back(rule_of(rule));
  toolchain.rules.recoverable = texts_of(object.at("recoverable"));
  toolchain.rules.exit_codes = {object.at("good").get<std::set<int>>(), object.at("bad").get<std::set<int>>(),
                                object.at("skip").get<std::set<int>>()};
  for (const json& early : object.at("early")) toolchain.early.push_back(early_of(early));
  return toolchain;
}

Axis axis_of(const json& object) {
  const std::string name = text_of(object.at("name"));
  const bool labels = object.at("labels").get<bool>();
  if (object.contains("values")) return Axis::of_set(name, texts_of(object.at("values")), labels);
  Axis axis = Axis::parse(name, object.at("text").get<std::string>());
  axis.set_labels(labels);
  return axis;
}

ExperimentKind kind_of(const std::string& text) {
  for (const auto kind :
       {ExperimentKind::threshold, ExperimentKind::sweep, ExperimentKind::frontier, ExperimentKind::factor,
        ExperimentKind::ablation, ExperimentKind::minimise, ExperimentKind::explain})
    if (kind_text(kind) == text) return kind;
  throw std::invalid_argument("unknown kind " + text);
}

Experiment experiment_of(const json& object) {
  Experiment experiment;
  experiment.name = text_of(object.at("name"));
  experiment.kind = kind_of(object.at("kind").get<std::string>());
  experiment.after = text_of(object.at("after"));
  for (const json& axis : object.at("axes")) experiment.axes.push_back(axis_of(axis));
  experiment.at = map_of(object.at("at"));
  experiment.confidence = object.at("confidence").get<double>();
  const json& holes = object.at("holes");
  experiment.holes = {holes.at("automatic").get<bool>(), holes.at("off").get<bool>(),
                      holes.at("share").get<double>()};
  experiment.false_bad = object.at("false_bad").get<bool>();
  for (const json& known : object.at("known")) {
    const auto verdict = parse_verdict(known.at(1).get<std::string>());
    if (!verdict) throw std::invalid_argument("unknown verdict");
    experiment.known.emplace_back(text_of(known.at(0)), *verdict);
  }
  return experiment;
}

Campaign campaign_of(const json& object) {
  Campaign campaign;
  campaign.name = text_of(object.at("name"));
  campaign.file = text_of(object.at("file"));
  campaign.directory = text_of(object.at("directory"));
  campaign.toolchain = toolchain_of(object.at("toolchain"));
  const json& target = object.at("target");
  campaign.target = {static_cast<Target::Kind>(target.at("kind").get<int>()), text_of(target.at("value")),
                     text_of(target.at("group"))};
  campaign.limits = limits_of(object.at("limits"));
  const json& budget = object.at("budget");
  campaign.budget = {optional_of<std::int64_t>(budget.at("trials")),
                     optional_of<double>(budget.at("seconds"))};
  campaign.priority = object.at("priority").get<int>();
  campaign.slots = object.at("slots").get<int>();
  campaign.model = map_of(object.at("model"));
  campaign.options = map_of(object.at("options"));
  campaign.script = texts_of(object.at("script"));
  for (const json& experiment : object.at("experiments"))
    campaign.experiments.push_back(experiment_of(experiment));
  campaign.ad_hoc = object.at("ad_hoc").get<bool>();
  campaign.keep_logs = object.at("keep_logs").get<bool>();
  return campaign;
}

}  // namespace

Campaign campaign_from_json(std::string_view json_text) {
  try {
    return campaign_of(json::parse(json_text));
  } catch (const json::exception& error) {
    throw Error(Exit::infrastructure, "store",
                std::string("stored campaign cannot be read: ") + error.what());
  } catch (const std::logic_error& error) {
    throw Error(Exit::infrastructure, "store",
                std::string("stored campaign cannot be read: ") + error.what());
  }
}

}  // namespace brink
