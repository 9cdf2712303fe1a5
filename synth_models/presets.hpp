#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth_models/spec.hpp"

namespace brink::synth {

/// The published shape of a model that people know. The dtype stays f32 whatever was published: it is what
/// exporters write and what every compiler reads.
struct Preset {
  std::string_view name;
  ModelSpec spec;
};

const std::vector<Preset>& presets();
/// nullptr when there is no such preset.
const Preset* find_preset(std::string_view name);

}  // namespace brink::synth
