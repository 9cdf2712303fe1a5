#include "synth_models/weights.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace brink::synth {
namespace {

constexpr double kBranchGain = 4.0;     // how much a block adds to the stream, so that depth matters
constexpr double kAttentionGain = 1.5;  // sharpens attention, so that a wrong RoPE or mask shows
constexpr double kBiasDeviation = 0.1;

struct Scales {
  double embedding, hidden, attention, intermediate;
};

Scales scales_of(const ModelSpec& spec) {
  const auto inverse_root = [](std::uint64_t fan_in) { return 1.0 / std::sqrt(static_cast<double>(fan_in)); };
  const double hidden = inverse_root(spec.hidden);
  // A tied table is the head too, so it must have the head's scale.
  return {spec.tied ? hidden : 1.0, hidden, inverse_root(spec.heads * spec.head_dim),
          inverse_root(spec.intermediate)};
}

Tensor normal(std::string name, std::vector<std::uint64_t> shape, double deviation) {
  return {std::move(name), std::move(shape), 0.0F, static_cast<float>(deviation)};
}

Tensor ones(std::string name, std::uint64_t size) { return {std::move(name), {size}, 1.0F, 0.0F}; }

void add_layer(const ModelSpec& spec, std::uint64_t layer, std::vector<Tensor>& tensors) {
  const Scales scale = scales_of(spec);
  const std::string at = "model.layers." + std::to_string(layer) + ".";
  const std::uint64_t query = spec.heads * spec.head_dim, key = spec.kv_heads * spec.head_dim;
  const double branch = scale.embedding * kBranchGain / std::sqrt(2.0 * static_cast<double>(layer + 1));
  const double sharp = kAttentionGain * scale.hidden;
  tensors.push_back(ones(at + "input_layernorm.weight", spec.hidden));
  tensors.push_back(
      normal(at + "mlp.down_proj.weight", {spec.hidden, spec.intermediate}, branch * scale.intermediate));
  tensors.push_back(normal(at + "mlp.gate_proj.weight", {spec.intermediate, spec.hidden}, scale.hidden));
  tensors.push_back(normal(at + "mlp.up_proj.weight", {spec.intermediate, spec.hidden}, scale.hidden));
  tensors.push_back(ones(at + "post_attention_layernorm.weight", spec.hidden));
  if (spec.family == "qwen2") {
    tensors.push_back(normal(at + "self_attn.q_proj.bias", {query}, kBiasDeviation));
    tensors.push_back(normal(at + "self_attn.k_proj.bias", {key}, kBiasDeviation));
    tensors.push_back(normal(at + "self_attn.v_proj.bias", {key}, kBiasDeviation));
  }
  tensors.push_back(normal(at + "self_attn.q_proj.weight", {query, spec.hidden}, sharp));
  tensors.push_back(normal(at + "self_attn.k_proj.weight", {key, spec.hidden}, sharp));
  tensors.push_back(normal(at + "self_attn.v_proj.weight", {key, spec.hidden}, scale.hidden));
  tensors.push_back(normal(at + "self_attn.o_proj.weight", {spec.hidden, query}, branch * scale.attention));
}

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// What keeps the streams of tensors, and of blocks of 2^32 elements within one, apart.
struct Keys {
  std::uint32_t before, between, after, last;
};

Keys keys_of(std::uint64_t seed, std::string_view name, std::uint64_t block) {
  std::uint64_t hash = mix(seed + 0x9e3779b97f4a7c15U);
  for (const char letter : name) hash = mix(hash ^ static_cast<unsigned char>(letter));
  hash = mix(hash + block);
  const std::uint64_t other = mix(hash + 0x9e3779b97f4a7c15U);
  return {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32),
          static_cast<std::uint32_t>(other), static_cast<std::uint32_t>(other >> 32)};
}

inline __attribute__((always_inline)) float standard_normal(const Keys& keys, std::uint32_t index) {
  std::uint32_t x = index ^ keys.before;
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) + keys.between;
  std::uint32_t a = x * 0x846ca68bU;
  a ^= a >> 16;
  std::uint32_t b = (x ^ keys.after) * 0x9e3779b1U;
  b = ((b ^ (b >> 15)) + keys.last) * 0x85ebca6bU;
  b ^= b >> 16;
  const std::uint32_t sum = (a & 0xffffU) + (a >> 16) + (b & 0xffffU) + (b >> 16);
  const float t = static_cast<float>(static_cast<std::int32_t>(sum) - 131070) * (1.0F / 131072.0F);
  const float square = t * t;
  float slope = 1.9956846F;
  slope = slope * square + -1.1011345F;
  slope = slope * square + 0.7139596F;
  slope = slope * square + 3.3204472F;
  return slope * t;
}

struct Run {
  Keys keys;
  std::uint32_t first, stride;
  float mean, deviation;
};

inline __attribute__((always_inline)) float value_at(const Run& run, std::uint32_t step) {
  return standard_normal(run.keys, run.first + step * run.stride) * run.deviation + run.mean;
}

/// One loop for each element, without a branch inside: the compiler vectorises all three.
inline __attribute__((always_inline)) void fill_run(const Run& run, Element element, std::byte* bytes,
                                                    std::uint32_t count) {
  if (element == Element::f32) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const float value = value_at(run, i);
      __builtin_memcpy(bytes + std::size_t{i} * 4, &value, 4);
    }
  } else if (element == Element::bf16) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint16_t bits = to_bf16(value_at(run, i));
      __builtin_memcpy(bytes + std::size_t{i} * 2, &bits, 2);
    }
  } else {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint16_t bits = to_f16(value_at(run, i));
      __builtin_memcpy(bytes + std::size_t{i} * 2, &bits, 2);
    }
  }
}

void fill_portable(const Run& run, Element element, std::byte* bytes, std::uint32_t count) {
  fill_run(run, element, bytes, count);
}

#if defined(__x86_64__)
// The same operations, eight at a time; multiplications and additions stay apart, so the bytes are the same.
__attribute__((target("avx2"))) void fill_avx2(const Run& run, Element element, std::byte* bytes,
                                               std::uint32_t count) {
  fill_run(run, element, bytes, count);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

void fill_best(const Run& run, Element element, std::byte* bytes, std::uint32_t count) {
#if defined(__x86_64__)
  if (has_avx2()) return fill_avx2(run, element, bytes, count);
#endif
  fill_portable(run, element, bytes, count);
}

}  // namespace

std::uint64_t Tensor::count() const {
  std::uint64_t product = 1;
  for (const std::uint64_t size : shape) product *= size;
  return product;
}

std::vector<Tensor> tensors_of(const ModelSpec& spec) {
  const Scales scale = scales_of(spec);
  std::vector<Tensor> tensors;
  tensors.push_back(normal("model.embed_tokens.weight", {spec.vocab, spec.hidden}, scale.embedding));
  if (!spec.tied) tensors.push_back(normal("lm_head.weight", {spec.vocab, spec.hidden}, scale.hidden));
  tensors.push_back(ones("model.norm.weight", spec.hidden));
  for (std::uint64_t layer = 0; layer < spec.layers; ++layer) add_layer(spec, layer, tensors);
  std::sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
  return tensors;
}

void fill(std::uint64_t seed, const Tensor& tensor, Element element, std::uint64_t first,
          std::uint64_t stride, std::span<std::byte> bytes) {
  const std::size_t width = element_bytes(element);
  std::uint64_t left = bytes.size() / width, index = first;
  std::byte* at = bytes.data();
  while (left > 0) {
    // A run ends where the index leaves its block of 2^32, and is short enough to count in 32 bits.
    const std::uint64_t room =
        (std::uint64_t{0xffffffff} - (index & 0xffffffffU)) / std::max<std::uint64_t>(stride, 1) + 1;
    const std::uint64_t count = std::min({left, room, std::uint64_t{1} << 20});
    const Run run{keys_of(seed, tensor.name, index >> 32), static_cast<std::uint32_t>(index),
                  static_cast<std::uint32_t>(stride), tensor.mean, tensor.deviation};
    fill_best(run, element, at, static_cast<std::uint32_t>(count));
    at += count * width;
    index += count * stride;
    left -= count;
  }
}

}  // namespace brink::synth
