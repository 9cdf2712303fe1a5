#pragma once

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

/// Nearest f16 or bf16, ties to even, as bits. Finite input only.
std::uint16_t to_f16(float value);
std::uint16_t to_bf16(float value);

}  // namespace brink::synth
