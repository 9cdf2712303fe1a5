#pragma once

#include <cstdint>
#include <filesystem>

#include "synth_models/graph.hpp"

namespace brink::synth {

/// Protobuf readers refuse messages of 2 GiB; above this many bytes of weights they go to a file of their
/// own.
inline constexpr std::uint64_t kMostEmbeddedBytes = std::uint64_t{1536} << 20;

/// Whether write_onnx will put the weights beside the graph.
bool needs_weights_file(const Graph& graph, std::uint64_t most_embedded_bytes = kMostEmbeddedBytes);

/// Writes `folder`/model.onnx (opset 17) and, when the weights exceed most_embedded_bytes,
/// `folder`/weights.bin with all constants of 1 KiB and more, each at a multiple of 4096. Streams: a row of
/// weights at a time.
void write_onnx(const Graph& graph, const std::filesystem::path& folder,
                std::uint64_t most_embedded_bytes = kMostEmbeddedBytes);

}  // namespace brink::synth
