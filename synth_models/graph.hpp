#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "synth_models/element.hpp"
#include "synth_models/spec.hpp"

namespace brink::synth {

using Shape = std::vector<std::uint64_t>;

struct Attribute {
  std::string name;
  std::variant<std::int64_t, std::vector<std::int64_t>> value;
};

struct Node {
  std::string op, name;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<Attribute> attributes;
};

struct Value {
  std::string name;
  Element element;
  Shape shape;
};

/// A constant of the graph. Its bytes are made row by row (a row is the last dimension; a scalar is one row)
/// so that no graph ever holds its weights.
struct Initializer {
  std::string name;
  Element element;
  Shape shape;
  std::function<void(std::uint64_t row, std::span<std::byte> bytes)> fill_row;

  std::uint64_t row_bytes() const;
  std::uint64_t bytes() const;
};

/// An ONNX graph as values; nodes are in topological order.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Value> inputs, outputs, inner;
  std::vector<Initializer> initializers;
};

/// The graph that the DFC's LLM flow takes (opset 17, static shapes): S = prefill positions, inputs
/// inputs_embeds [1,S,hidden], attention_mask [1,1,S,heads*S], pe_k_cos, pe_q_cos, pe_k_sin, pe_q_sin
/// [1,S,head_dim], in this order; output logits [1,1,vocab] of the last position.
///
/// Per layer the Add and Mul of two computed operands come in the order in which the DFC numbers them: q cos,
/// k cos, q sin, k sin, q rope, k rope, mask, residual, SwiGLU, residual. Each shared input feeds its Add or
/// Mul directly. Rotate-half and kv repetition are products with constant matrices.
Graph dfc_graph(const ModelSpec& spec);

}  // namespace brink::synth
