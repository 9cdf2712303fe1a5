#include "synth_models/presets.hpp"

#include <algorithm>

namespace brink::synth {
namespace {

/// What the published configurations differ in.
struct Shape {
  std::uint64_t layers, hidden, heads, kv_heads, head_dim, intermediate, vocab, max_positions;
};

ModelSpec published(const char* family, const Shape& shape, double rope_theta, double norm_eps, bool tied) {
  ModelSpec spec;
  spec.family = family;
  spec.layers = shape.layers;
  spec.hidden = shape.hidden;
  spec.heads = shape.heads;
  spec.kv_heads = shape.kv_heads;
  spec.head_dim = shape.head_dim;
  spec.intermediate = shape.intermediate;
  spec.vocab = shape.vocab;
  spec.max_positions = shape.max_positions;
  spec.rope_theta = rope_theta;
  spec.norm_eps = norm_eps;
  spec.tied = tied;
  return spec;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      // Its intermediate size follows from the published file's 103 MB of f32; the context is its sibling's.
      {"tinystories-25m", published("llama", {4, 256, 16, 8, 16, 2816, 32000, 2048}, 10000.0, 1e-6, false)},
      {"qwen2.5-0.5b", published("qwen2", {24, 896, 14, 2, 64, 4864, 151936, 32768}, 1000000.0, 1e-6, true)},
      {"smollm2-135m", published("llama", {30, 576, 9, 3, 64, 1536, 49152, 8192}, 100000.0, 1e-5, true)},
      {"tinyllama-1.1b", published("llama", {22, 2048, 32, 4, 64, 5632, 32000, 2048}, 10000.0, 1e-5, false)},
  };
  return all;
}

const Preset* find_preset(std::string_view name) {
  const auto found =
      std::find_if(presets().begin(), presets().end(), [&](const Preset& p) { return p.name == name; });
  return found == presets().end() ? nullptr : &*found;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace brink::synth
