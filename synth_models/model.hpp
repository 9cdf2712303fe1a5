#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "synth_models/spec.hpp"

namespace brink::synth {

enum class GraphStyle { none, dfc };

/// What may stand at the place of the folder before.
enum class Existing {
  refuse,   ///< nothing, or an empty folder
  replace,  ///< also a folder that brink wrote and nobody added to (`--force`)
};

/// Writes the checkpoint folder (config.json, generation_config.json, model.safetensors, tokenizer files,
/// README.md) and, unless style is none, the graph (dfc: onnx/model.onnx). `folder` must be absent or empty;
/// it appears whole (made beside, then renamed) or not at all. Returns warnings. Throws std::system_error /
/// SpecError.
std::vector<std::string> write_model(const ModelSpec& spec, const std::filesystem::path& folder,
                                     GraphStyle style, Existing existing = Existing::refuse);

/// Whether brink wrote this folder and nothing else lies in it.
bool is_ours(const std::filesystem::path& folder);

}  // namespace brink::synth
