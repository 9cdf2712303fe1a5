#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "synth_models/graph.hpp"
#include "synth_models/weights.hpp"

namespace brink::synth {

std::uint64_t Initializer::row_bytes() const {
  return (shape.empty() ? 1 : shape.back()) * element_bytes(element);
}

std::uint64_t Initializer::bytes() const {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) count *= size;
  return count * element_bytes(element);
}

namespace {

void store(float value, Element element, std::byte* at) {
  if (element == Element::f32) {
    std::memcpy(at, &value, 4);
    return;
  }
  const std::uint16_t bits = element == Element::f16 ? to_f16(value) : to_bf16(value);
  std::memcpy(at, &bits, 2);
}

Value value(std::string name, Element element, Shape shape) {
  return {std::move(name), element, std::move(shape)};
}

/// Emits the graph front to back. Values are known by name; each emitter returns the name of its result.
class DfcBuilder {
 public:
  explicit DfcBuilder(const ModelSpec& spec)
      : spec_(spec), element_(element_of(spec.dtype)), steps_(spec.prefill) {
    for (Tensor& tensor : tensors_of(spec)) tensors_.emplace(tensor.name, std::move(tensor));
  }

  Graph build() {
    add_inputs();
    add_shared_constants();
    std::string stream = "inputs_embeds";
    for (std::uint64_t layer = 0; layer < spec_.layers; ++layer) stream = add_layer(layer, stream);
    add_head(stream);
    return std::move(graph_);
  }

 private:
  void add_inputs() {
    graph_.name = "brink_" + spec_.family;
    graph_.inputs = {value("inputs_embeds", element_, {1, steps_, spec_.hidden}),
                     value("attention_mask", element_, {1, 1, steps_, spec_.heads * steps_})};
    for (const char* name : {"pe_k_cos", "pe_q_cos", "pe_k_sin", "pe_q_sin"}) {
      graph_.inputs.push_back(value(name, element_, {1, steps_, spec_.head_dim}));
    }
  }

  void add_shared_constants() {
    scalar("/model/norm_power", 2.0F);
    scalar("/model/norm_eps", static_cast<float>(spec_.norm_eps));
    scalar("/model/attention_scale",
           static_cast<float>(1.0 / std::sqrt(static_cast<double>(spec_.head_dim))));
    shape_constant("/model/q_heads_shape", {1, steps_, spec_.heads, spec_.head_dim});
    shape_constant("/model/kv_heads_shape", {1, steps_, spec_.kv_heads, spec_.head_dim});
    shape_constant("/model/kv_flat_shape", {1, steps_, spec_.kv_heads * spec_.head_dim});
    shape_constant("/model/flat_shape", {1, steps_, spec_.heads * spec_.head_dim});
    shape_constant("/model/tiled_shape", {1, 1, steps_, spec_.heads * steps_});
    shape_constant("/model/scores_shape", {1, steps_, spec_.heads, steps_});
    add_rotate_half();
    if (spec_.heads != spec_.kv_heads) add_kv_repeat();
  }

  /// x @ R = [-second half of x, first half of x].
  void add_rotate_half() {
    const std::uint64_t size = spec_.head_dim, half = size / 2;
    const Element element = element_;
    graph_.initializers.push_back(
        {"/model/rotate_half", element, {size, size}, [=](std::uint64_t row, std::span<std::byte> bytes) {
           std::fill(bytes.begin(), bytes.end(), std::byte{0});
           const std::uint64_t column = row < half ? row + half : row - half;
           store(row < half ? 1.0F : -1.0F, element, bytes.data() + column * element_bytes(element));
         }});
  }

  /// Query head j reads kv head j / nrep: each head's columns are copied nrep times, side by side.
  void add_kv_repeat() {
    const std::uint64_t size = spec_.head_dim, nrep = spec_.heads / spec_.kv_heads;
    const Element element = element_;
    graph_.initializers.push_back({"/model/kv_repeat",
                                   element,
                                   {spec_.kv_heads * size, spec_.heads * size},
                                   [=](std::uint64_t row, std::span<std::byte> bytes) {
                                     std::fill(bytes.begin(), bytes.end(), std::byte{0});
                                     const std::uint64_t head = row / size * nrep;
                                     for (std::uint64_t copy = head; copy < head + nrep; ++copy) {
                                       const std::uint64_t column = copy * size + row % size;
                                       store(1.0F, element, bytes.data() + column * element_bytes(element));
                                     }
                                   }});
  }

  void scalar(const std::string& name, float number) {
    const Element element = element_;
    graph_.initializers.push_back({name, element, {}, [=](std::uint64_t, std::span<std::byte> bytes) {
                                     store(number, element, bytes.data());
                                   }});
  }

  void shape_constant(const std::string& name, const Shape& shape) {
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    integers(name, std::move(sizes));
  }

  void integers(const std::string& name, std::vector<std::int64_t> numbers) {
    const Shape shape = {numbers.size()};
    graph_.initializers.push_back(
        {name, Element::int64, shape, [numbers](std::uint64_t, std::span<std::byte> bytes) {
           std::memcpy(bytes.data(), numbers.data(), bytes.size());
         }});
  }

  /// A vector of the checkpoint as it is.
  std::string vector(const std::string& name) {
    const Tensor& tensor = tensors_.at(name);
    graph_.initializers.push_back(
        {name, element_, tensor.shape,
         [tensor, element = element_, seed = spec_.seed](std::uint64_t, std::span<std::byte> bytes) {
           fill(seed, tensor, element, 0, 1, bytes);
         }});
    return name;
  }

  /// A matrix of the checkpoint, [out, in] there, as the [in, out] that MatMul wants.
  std::string matrix(const std::string& stored, const std::string& name) {
    const Tensor& tensor = tensors_.at(stored);
    const std::uint64_t columns = tensor.shape[1];
    graph_.initializers.push_back({name,
                                   element_,
                                   {columns, tensor.shape[0]},
                                   [tensor, columns, element = element_, seed = spec_.seed](
                                       std::uint64_t row, std::span<std::byte> bytes) {
                                     fill(seed, tensor, element, row, columns, bytes);
                                   }});
    return name;
  }

  std::string node(const std::string& op, const std::string& name, std::vector<std::string> inputs,
                   Shape shape, std::vector<Attribute> attributes = {}) {
    const std::string output = name + "_output_0";
    graph_.nodes.push_back({op, name, std::move(inputs), output, std::move(attributes)});
    graph_.inner.push_back(value(output, element_, std::move(shape)));
    return output;
  }

  std::string transpose(const std::string& name, const std::string& input, std::vector<std::int64_t> order,
                        Shape shape) {
    return node("Transpose", name, {input}, std::move(shape), {{"perm", std::move(order)}});
  }

  /// x / sqrt(mean(x^2) + eps) * weight, in the pattern that importers fuse.
  std::string norm(const std::string& at, const std::string& weight, const std::string& x) {
    const Shape full = {1, steps_, spec_.hidden}, one = {1, steps_, 1};
    const std::string square = node("Pow", at + "/Pow", {x, "/model/norm_power"}, full);
    const std::string mean = node("ReduceMean", at + "/ReduceMean", {square}, one,
                                  {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}});
    const std::string sum = node("Add", at + "/Add", {mean, "/model/norm_eps"}, one);
    const std::string root = node("Sqrt", at + "/Sqrt", {sum}, one);
    const std::string scaled = node("Div", at + "/Div", {x, root}, full);
    return node("Mul", at + "/Mul", {scaled, vector(weight)}, full);
  }

  std::string project(const std::string& at, const std::string& tensor, const std::string& x,
                      std::uint64_t width) {
    const Shape shape = {1, steps_, width};
    const std::string product =
        node("MatMul", at + "/MatMul", {x, matrix(tensor + ".weight", tensor + ".weight")}, shape);
    if (tensors_.count(tensor + ".bias") == 0) return product;
    return node("Add", at + "/Add", {product, vector(tensor + ".bias")}, shape);
  }

  /// [1,S,heads*head_dim] as [1,heads,S,head_dim].
  std::string split_heads(const std::string& at, const std::string& x, std::uint64_t heads) {
    const char* shape = heads == spec_.heads ? "/model/q_heads_shape" : "/model/kv_heads_shape";
    const std::string split =
        node("Reshape", at + "/Reshape", {x, shape}, {1, steps_, heads, spec_.head_dim});
    return transpose(at + "/Transpose", split, {0, 2, 1, 3}, {1, heads, steps_, spec_.head_dim});
  }

  /// kv heads as query heads: [1,kv_heads,S,head_dim] -> [1,heads,S,head_dim].
  std::string repeat_heads(const std::string& at, const std::string& x) {
    if (spec_.heads == spec_.kv_heads) return x;
    const std::uint64_t narrow = spec_.kv_heads * spec_.head_dim, wide = spec_.heads * spec_.head_dim;
    const std::string side =
        transpose(at + "/Transpose", x, {0, 2, 1, 3}, {1, steps_, spec_.kv_heads, spec_.head_dim});
    const std::string flat =
        node("Reshape", at + "/Reshape", {side, "/model/kv_flat_shape"}, {1, steps_, narrow});
    const std::string repeated =
        node("MatMul", at + "/MatMul", {flat, "/model/kv_repeat"}, {1, steps_, wide});
    return split_heads(at + "/heads", repeated, spec_.heads);
  }

  struct Pair {
    std::string query, key;
  };

  /// Rotary embedding of both; interleaved so that the operations come in the order of the DFC's numbers.
  Pair rope(const std::string& at, const Pair& x) {
    const Shape q_shape = {1, spec_.heads, steps_, spec_.head_dim};
    const Shape k_shape = {1, spec_.kv_heads, steps_, spec_.head_dim};
    const std::string q_turned =
        node("MatMul", at + "/q_rotate_half/MatMul", {x.query, "/model/rotate_half"}, q_shape);
    const std::string k_turned =
        node("MatMul", at + "/k_rotate_half/MatMul", {x.key, "/model/rotate_half"}, k_shape);
    const std::string q_cos = node("Mul", at + "/q_cos/Mul", {x.query, "pe_q_cos"}, q_shape);
    const std::string k_cos = node("Mul", at + "/k_cos/Mul", {x.key, "pe_k_cos"}, k_shape);
    const std::string q_sin = node("Mul", at + "/q_sin/Mul", {q_turned, "pe_q_sin"}, q_shape);
    const std::string k_sin = node("Mul", at + "/k_sin/Mul", {k_turned, "pe_k_sin"}, k_shape);
    const std::string query = node("Add", at + "/q_rope/Add", {q_cos, q_sin}, q_shape);
    return {query, node("Add", at + "/k_rope/Add", {k_cos, k_sin}, k_shape)};
  }

  /// Softmax per head of scores laid side by side, because the mask comes tiled: [1,1,S,heads*S].
  std::string attention(const std::string& at, const Pair& x) {
    const std::uint64_t heads = spec_.heads;
    const Shape scores = {1, heads, steps_, steps_}, tiled = {1, 1, steps_, heads * steps_};
    const Shape beside = {1, steps_, heads, steps_};
    const std::string key = transpose(at + "/k_transposed/Transpose", repeat_heads(at + "/k_repeat", x.key),
                                      {0, 1, 3, 2}, {1, heads, spec_.head_dim, steps_});
    const std::string product = node("MatMul", at + "/scores/MatMul", {x.query, key}, scores);
    const std::string scaled = node("Mul", at + "/scores/Mul", {product, "/model/attention_scale"}, scores);
    const std::string side = transpose(at + "/tile/Transpose", scaled, {0, 2, 1, 3}, beside);
    const std::string flat = node("Reshape", at + "/tile/Reshape", {side, "/model/tiled_shape"}, tiled);
    const std::string masked = node("Add", at + "/mask/Add", {flat, "attention_mask"}, tiled);
    const std::string apart =
        node("Reshape", at + "/untile/Reshape", {masked, "/model/scores_shape"}, beside);
    const std::string back = transpose(at + "/untile/Transpose", apart, {0, 2, 1, 3}, scores);
    return node("Softmax", at + "/Softmax", {back}, scores, {{"axis", std::int64_t{-1}}});
  }

  std::string add_attention(const std::string& at, const std::string& tensor, const std::string& x) {
    const std::uint64_t wide = spec_.heads * spec_.head_dim, narrow = spec_.kv_heads * spec_.head_dim;
    const std::string q = project(at + "/q_proj", tensor + "q_proj", x, wide);
    const std::string k = project(at + "/k_proj", tensor + "k_proj", x, narrow);
    const std::string v = project(at + "/v_proj", tensor + "v_proj", x, narrow);
    const Pair split = {split_heads(at + "/q_heads", q, spec_.heads),
                        split_heads(at + "/k_heads", k, spec_.kv_heads)};
    const std::string values =
        repeat_heads(at + "/v_repeat", split_heads(at + "/v_heads", v, spec_.kv_heads));
    const std::string weights = attention(at, rope(at, split));
    const std::string mixed =
        node("MatMul", at + "/values/MatMul", {weights, values}, {1, spec_.heads, steps_, spec_.head_dim});
    const std::string side =
        transpose(at + "/values/Transpose", mixed, {0, 2, 1, 3}, {1, steps_, spec_.heads, spec_.head_dim});
    const std::string flat =
        node("Reshape", at + "/values/Reshape", {side, "/model/flat_shape"}, {1, steps_, wide});
    return project(at + "/o_proj", tensor + "o_proj", flat, spec_.hidden);
  }

  std::string add_mlp(const std::string& at, const std::string& tensor, const std::string& x) {
    const Shape shape = {1, steps_, spec_.intermediate};
    const std::string gate = project(at + "/gate_proj", tensor + "gate_proj", x, spec_.intermediate);
    const std::string sigmoid = node("Sigmoid", at + "/act_fn/Sigmoid", {gate}, shape);
    const std::string silu = node("Mul", at + "/act_fn/Mul", {gate, sigmoid}, shape);
    const std::string up = project(at + "/up_proj", tensor + "up_proj", x, spec_.intermediate);
    const std::string product = node("Mul", at + "/Mul", {silu, up}, shape);
    return project(at + "/down_proj", tensor + "down_proj", product, spec_.hidden);
  }

  std::string add_layer(std::uint64_t layer, const std::string& stream) {
    const std::string at = "/model/layers." + std::to_string(layer);
    const std::string tensor = "model.layers." + std::to_string(layer) + ".";
    const Shape shape = {1, steps_, spec_.hidden};
    const std::string before = norm(at + "/input_layernorm", tensor + "input_layernorm.weight", stream);
    const std::string attended = add_attention(at + "/self_attn", tensor + "self_attn.", before);
    const std::string middle = node("Add", at + "/Add", {stream, attended}, shape);
    const std::string after =
        norm(at + "/post_attention_layernorm", tensor + "post_attention_layernorm.weight", middle);
    const std::string fed = add_mlp(at + "/mlp", tensor + "mlp.", after);
    return node("Add", at + "/Add_1", {middle, fed}, shape);
  }

  void add_head(const std::string& stream) {
    const std::string normed = norm("/model/norm", "model.norm.weight", stream);
    integers("/model/last_start", {static_cast<std::int64_t>(steps_) - 1});
    integers("/model/last_end", {static_cast<std::int64_t>(steps_)});
    integers("/model/last_axis", {1});
    const std::string last =
        node("Slice", "/model/Slice", {normed, "/model/last_start", "/model/last_end", "/model/last_axis"},
             {1, 1, spec_.hidden});
    const std::string stored = spec_.tied ? "model.embed_tokens.weight" : "lm_head.weight";
    graph_.nodes.push_back(
        {"MatMul", "/lm_head/MatMul", {last, matrix(stored, "lm_head.weight")}, "logits", {}});
    graph_.outputs = {value("logits", element_, {1, 1, spec_.vocab})};
  }

  const ModelSpec& spec_;
  const Element element_;
  const std::uint64_t steps_;
  std::map<std::string, Tensor> tensors_;
  Graph graph_;
};

}  // namespace

Graph dfc_graph(const ModelSpec& spec) { return DfcBuilder(spec).build(); }

}  // namespace brink::synth
