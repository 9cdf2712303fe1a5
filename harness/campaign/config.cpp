#include <algorithm>

#include "harness/campaign/campaign.hpp"
#include "harness/campaign/reading.hpp"
#include "synth_models/spec.hpp"

namespace brink {

std::string_view kind_text(ExperimentKind kind) {
  switch (kind) {
    case ExperimentKind::threshold:
      return "threshold";
    case ExperimentKind::sweep:
      return "sweep";
    case ExperimentKind::frontier:
      return "frontier";
    case ExperimentKind::factor:
      return "factor";
    case ExperimentKind::ablation:
      return "ablation";
    case ExperimentKind::minimise:
      return "minimise";
    case ExperimentKind::explain:
      return "explain";
  }
  return "";
}

std::vector<std::string> placeholders_of(const Toolchain& toolchain) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Stage& stage : toolchain.stages) add(placeholders_of(stage));
  for (const auto& entry : toolchain.environment) add(placeholders(entry.second));
  return names;
}

bool reads_script(const Toolchain& toolchain) {
  const auto has = [](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), "script") != names.end();
  };
  return has(placeholders_of(toolchain)) ||
         std::any_of(toolchain.stages.begin(), toolchain.stages.end(),
                     [&](const Stage& stage) { return has(stage.depends); });
}

Config config_of(const Campaign& campaign, const Experiment& experiment, const Point& point) {
  Config config;
  for (const Parameter& parameter : campaign.toolchain.parameters)
    if (parameter.fallback) config.values[parameter.name] = *parameter.fallback;
  // A field of the model is part of the config only where a command line names it.
  if (!campaign.model.empty())
    for (const std::string& name : placeholders_of(campaign.toolchain))
      if (const auto field = campaign.model.find(name); field != campaign.model.end())
        config.values.insert(*field);
  for (const auto* values : {&campaign.options, &experiment.at})
    for (const auto& [name, value] : *values) config.values[name] = value;
  for (const auto& [name, value] : config_at(experiment.axes, point).values) config.values[name] = value;
  return config;
}

std::vector<std::string> known_axes(const Campaign& campaign) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : placeholders_of(campaign.toolchain))
    if (!is_reserved(name) && name.find('.') == std::string::npos) add(name);
  for (const Parameter& parameter : campaign.toolchain.parameters) add(parameter.name);
  if (!campaign.toolchain.needs.empty())
    for (const std::string& name : synth::field_names()) add(name);
  if (reads_script(campaign.toolchain)) add("script");
  return names;
}

}  // namespace brink
