#include "synth_models/element.hpp"

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

}  // namespace brink::synth
