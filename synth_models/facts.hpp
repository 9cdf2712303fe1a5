#pragma once

#include <cstdint>

#include "synth_models/spec.hpp"

namespace brink::synth {

/// What is known of a model without building it. Operator counts are those of the dfc graph, after RMSNorm
/// and SiLU are fused, with the DFC's meaning: Add and Mul of two computed operands.
struct ModelFacts {
  std::uint64_t parameters = 0;           ///< as transformers counts: a tied head once
  std::uint64_t weight_bytes = 0;         ///< of the checkpoint's tensors
  std::uint64_t ew_add = 0, ew_mult = 0;  ///< element by element
  std::uint64_t matmul = 0;               ///< products of two computed operands
  std::uint64_t conv = 0;                 ///< products with a constant matrix
  std::uint64_t shared_inputs = 0;        ///< inputs that every layer reads
  std::uint64_t shared_input_fanout = 0;  ///< readers of each of them
  std::uint64_t kv_bytes = 0;             ///< keys and values of `cache` positions, all layers
};

ModelFacts facts_of(const ModelSpec& spec);

}  // namespace brink::synth
