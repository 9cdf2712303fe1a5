#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/campaign/campaign.hpp"
#include "harness/campaign/json_text.hpp"
#include "harness/core/digest.hpp"

namespace brink {

namespace {

using nlohmann::json;

template <typename Value>
json optional_json(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

json limits_json(const LimitChoice& limits) {
  const auto ms = [](const auto& limit) { return limit ? json(limit->count()) : json(nullptr); };
  return {{"wall_ms", ms(limits.wall)},
          {"idle_ms", ms(limits.idle)},
          {"grace_ms", ms(limits.grace)},
          {"memory_bytes", optional_json(limits.memory_bytes)}};
}

json parameter_json(const Parameter& parameter) {
  json object{{"name", text_json(parameter.name)},
              {"type", static_cast<int>(parameter.type)},
              {"one_of", texts_json(parameter.one_of)}};
  if (parameter.fallback) object["default"] = text_json(*parameter.fallback);
  if (parameter.min) object["min"] = to_text(*parameter.min);
  if (parameter.max) object["max"] = to_text(*parameter.max);
  return object;
}

json stage_json(const Stage& stage) {
  return {{"name", text_json(stage.name)},        {"argv", texts_json(stage.argv)},
          {"inputs", map_json(stage.inputs)},     {"outputs", map_json(stage.outputs)},
          {"depends", texts_json(stage.depends)}, {"environment", map_json(stage.environment)},
          {"limits", limits_json(stage.limits)},  {"cpus", stage.resources.cpus},
          {"gpus", stage.resources.gpus},         {"memory_bytes", stage.resources.memory_bytes}};
}

json container_json(const ContainerOptions& container) {
  return {{"engine", text_json(container.engine)},
          {"image", text_json(container.image)},
          {"rootfs", text_json(container.rootfs)},
          {"devices", texts_json(container.devices)},
          {"groups", texts_json(container.groups)},
          {"mounts", texts_json(container.mounts)},
          {"options", texts_json(container.options)},
          {"environment", map_json(container.environment)},
          {"init", container.init}};
}

json rule_json(const Rule& rule) {
  return {{"class", text_json(rule.failure_class)},
          {"stage", text_json(rule.stage)},
          {"match", text_json(rule.match)},
          {"capture", text_json(rule.capture)},
          {"repeat", rule.repeat},
          {"identify", texts_json(rule.identify)},
          {"sample", text_json(rule.sample)}};
}

json early_json(const EarlyPattern& early) {
  return {{"match", text_json(early.match)},
          {"verdict", text_json(early.verdict)},
          {"decides", texts_json(early.decides)},
          {"stage", text_json(early.stage)}};
}

template <typename Value>
json list_json(const std::vector<Value>& values, json (*one)(const Value&)) {
  json list = json::array();
  for (const Value& value : values) list.push_back(one(value));
  return list;
}

json toolchain_json(const Toolchain& toolchain) {
  json identity = json::array();
  for (const auto& argv : toolchain.identity) identity.push_back(texts_json(argv));
  json object{{"name", text_json(toolchain.name)},
              {"folder", text_json(toolchain.folder.string())},
              {"identity", std::move(identity)},
              {"needs", toolchain.needs},
              {"parameters", list_json(toolchain.parameters, parameter_json)},
              {"environment", map_json(toolchain.environment)},
              {"pass_environment", texts_json(toolchain.pass_environment)},
              {"stages", list_json(toolchain.stages, stage_json)},
              {"rules", list_json(toolchain.rules.rules, rule_json)},
              {"recoverable", texts_json(toolchain.rules.recoverable)},
              {"good", toolchain.rules.exit_codes.good},
              {"bad", toolchain.rules.exit_codes.bad},
              {"skip", toolchain.rules.exit_codes.skip},
              {"early", list_json(toolchain.early, early_json)}};
  if (toolchain.container) object["container"] = container_json(*toolchain.container);
  return object;
}

json axis_json(const Axis& axis) {
  json object{{"name", text_json(axis.name())}, {"labels", axis.labels()}};
  if (axis.form() != Axis::Form::set) {
    object["text"] = axis.text();
    return object;
  }
  // The values one by one: a line of a script has commas of its own.
  std::vector<std::string> values;
  for (Position i = 0; i < axis.size(); ++i) values.push_back(axis.value(i));
  object["values"] = texts_json(values);
  return object;
}

json experiment_json(const Experiment& experiment) {
  json known = json::array();
  for (const auto& [value, verdict] : experiment.known)
    known.push_back(json::array({text_json(value), std::string(verdict_text(verdict))}));
  return {{"name", text_json(experiment.name)},
          {"kind", std::string(kind_text(experiment.kind))},
          {"after", text_json(experiment.after)},
          {"axes", list_json(experiment.axes, axis_json)},
          {"at", map_json(experiment.at)},
          {"confidence", experiment.confidence},
          {"holes",
           {{"automatic", experiment.holes.automatic},
            {"off", experiment.holes.off},
            {"share", experiment.holes.share}}},
          {"false_bad", experiment.false_bad},
          {"known", std::move(known)}};
}

json campaign_json(const Campaign& campaign) {
  return {{"name", text_json(campaign.name)},
          {"file", text_json(campaign.file.string())},
          {"directory", text_json(campaign.directory.string())},
          {"toolchain", toolchain_json(campaign.toolchain)},
          {"target",
           {{"kind", static_cast<int>(campaign.target.kind)},
            {"value", text_json(campaign.target.value)},
            {"group", text_json(campaign.target.group)}}},
          {"limits", limits_json(campaign.limits)},
          {"budget",
           {{"trials", optional_json(campaign.budget.trials)},
            {"seconds", optional_json(campaign.budget.seconds)}}},
          {"priority", campaign.priority},
          {"slots", campaign.slots},
          {"model", map_json(campaign.model)},
          {"options", map_json(campaign.options)},
          {"script", texts_json(campaign.script)},
          {"experiments", list_json(campaign.experiments, experiment_json)},
          {"ad_hoc", campaign.ad_hoc},
          {"keep_logs", campaign.keep_logs}};
}

void sort_by_name(json& list) {
  std::sort(list.begin(), list.end(), [](const json& a, const json& b) { return a["name"] < b["name"]; });
}

}  // namespace

std::string campaign_to_json(const Campaign& campaign) { return campaign_json(campaign).dump(); }

std::string campaign_digest(const Campaign& campaign) {
  json object = campaign_json(campaign);
  // Where a one-liner runs is part of its question; a campaign file may move.
  if (!campaign.ad_hoc) object.erase("directory");
  for (const char* name : {"file", "priority", "slots", "keep_logs"}) object.erase(name);
  object["toolchain"].erase("folder");
  sort_by_name(object["experiments"]);
  sort_by_name(object["toolchain"]["parameters"]);
  return sha256(object.dump());
}

}  // namespace brink
