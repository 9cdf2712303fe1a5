#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "synth_models/spec.hpp"

namespace brink::synth {

enum class GraphStyle { none, dfc };

/// Writes the checkpoint folder (config.json, generation_config.json, model.safetensors, tokenizer files,
/// README.md) and, unless style is none, the graph (dfc: onnx/model.onnx). `folder` must be absent or empty;
/// it appears whole (made beside, then renamed) or not at all. Returns warnings. Throws std::system_error /
/// SpecError.
std::vector<std::string> write_model(const ModelSpec& spec, const std::filesystem::path& folder,
                                     GraphStyle style);

}  // namespace brink::synth
