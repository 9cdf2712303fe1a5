#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace brink::synth {

/// What one element of a tensor is stored as.
enum class Element { f32, f16, bf16, int64 };

std::size_t element_bytes(Element element);
/// The element of a spec's dtype (f32, f16, bf16).
Element element_of(std::string_view dtype);
/// The dtype word of a safetensors header: F32, F16, BF16, I64.
std::string_view safetensors_word(Element element);
/// The dtype word of config.json: float32, float16, bfloat16, int64.
std::string_view torch_word(Element element);
/// TensorProto.DataType of ONNX.
int onnx_code(Element element);

/// Nearest bf16, ties to even, as bits. Finite input only.
inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// Nearest f16, ties to even, as bits; too large becomes infinite. Not for NaN. Without branches, so that a
/// loop over it can be vectorised.
inline std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Below the smallest normal half: adding 0.5 puts the ten bits at the end of the sum, rounded by the FPU.
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t finite = magnitude < 0x38800000U ? small : normal;
  const std::uint32_t half = magnitude >= 0x477ff000U ? 0x7c00U : finite;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | half);
}

}  // namespace brink::synth
