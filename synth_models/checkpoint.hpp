#pragma once

#include <filesystem>
#include <string>

#include "synth_models/spec.hpp"

namespace brink::synth {

/// config.json in the one form that transformers 4.57 and 5.x both read silently and rightly.
std::string config_json(const ModelSpec& spec);
std::string generation_config_json(const ModelSpec& spec);
/// README.md: says that the model is synthetic, with its spec; its first line marks the folder as brink's.
std::string readme(const ModelSpec& spec, const std::string& graph_note);

/// The first line of README.md.
inline constexpr const char* kReadmeMark = "# Synthetic model written by brink";

/// All files of the checkpoint but the graph, into an existing empty folder.
void write_checkpoint(const ModelSpec& spec, const std::filesystem::path& folder,
                      const std::string& graph_note);

}  // namespace brink::synth
