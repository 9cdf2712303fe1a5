#pragma once

#include <filesystem>
#include <vector>

#include "synth_models/spec.hpp"
#include "synth_models/weights.hpp"

namespace brink::synth {

/// Writes the tensors of a spec as model.safetensors, or, with shard_bytes, as
/// model-00001-of-0000N.safetensors and their index. Streams: memory stays below 1 MiB whatever the size.
void write_safetensors(const ModelSpec& spec, const std::filesystem::path& folder);

/// The JSON header, padded so that 8 + its size is a multiple of 8.
std::string safetensors_header(const std::vector<Tensor>& tensors, Element element);

}  // namespace brink::synth
