#include "synth_models/element.hpp"

#include <bit>

namespace brink::synth {

std::size_t element_bytes(Element element) {
  switch (element) {
    case Element::f32:
      return 4;
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::int64:
      return 8;
  }
  return 0;
}

Element element_of(std::string_view dtype) {
  if (dtype == "f16") return Element::f16;
  if (dtype == "bf16") return Element::bf16;
  return Element::f32;
}

std::string_view safetensors_word(Element element) {
  switch (element) {
    case Element::f32:
      return "F32";
    case Element::f16:
      return "F16";
    case Element::bf16:
      return "BF16";
    case Element::int64:
      return "I64";
  }
  return "";
}

std::string_view torch_word(Element element) {
  switch (element) {
    case Element::f32:
      return "float32";
    case Element::f16:
      return "float16";
    case Element::bf16:
      return "bfloat16";
    case Element::int64:
      return "int64";
  }
  return "";
}

int onnx_code(Element element) {
  switch (element) {
    case Element::f32:
      return 1;
    case Element::f16:
      return 10;
    case Element::bf16:
      return 16;
    case Element::int64:
      return 7;
  }
  return 0;
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude >= 0x47800000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (magnitude < 0x38800000U) {
    // Below the smallest normal half: adding 0.5 puts the ten bits at the end of the sum, rounded by the FPU.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
}

}  // namespace brink::synth
