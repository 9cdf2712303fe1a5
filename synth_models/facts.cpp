#include "synth_models/facts.hpp"

#include "synth_models/element.hpp"

namespace brink::synth {

ModelFacts facts_of(const ModelSpec& spec) {
  const std::uint64_t width = element_bytes(element_of(spec.dtype));
  const std::uint64_t query = spec.heads * spec.head_dim, key = spec.kv_heads * spec.head_dim;
  const std::uint64_t biases = spec.family == "qwen2" ? query + 2 * key : 0;
  const std::uint64_t layer =
      2 * spec.hidden * (query + key) + 3 * spec.hidden * spec.intermediate + 2 * spec.hidden + biases;
  const std::uint64_t tables = (spec.tied ? 1 : 2) * spec.vocab * spec.hidden;
  const std::uint64_t repeats = spec.heads == spec.kv_heads ? 0 : 2;
  ModelFacts facts;
  facts.parameters = spec.layers * layer + tables + spec.hidden;
  facts.weight_bytes = facts.parameters * width;
  facts.ew_add = 5 * spec.layers;
  facts.ew_mult = 5 * spec.layers;
  facts.matmul = 2 * spec.layers;
  // Seven projections, rotate-half of q and k, the repetition of k and v; and the head.
  facts.conv = (7 + 2 + repeats) * spec.layers + 1;
  facts.shared_inputs = 5;
  facts.shared_input_fanout = spec.layers;
  facts.kv_bytes = 2 * spec.layers * key * spec.cache * width;
  return facts;
}

}  // namespace brink::synth
