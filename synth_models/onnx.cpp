#include "synth_models/onnx.hpp"

#include <algorithm>
#include <optional>

#include "synth_models/folder.hpp"
#include "synth_models/wire.hpp"

namespace brink::synth {
namespace {

constexpr const char* kWeightsFile = "weights.bin";
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSmallestOutside = 1024;
constexpr std::int64_t kIrVersion = 8, kOpset = 17;

// Field numbers of onnx.proto.
namespace model_field {
constexpr unsigned ir_version = 1, producer_name = 2, graph = 7, opset_import = 8;
}
namespace graph_field {
constexpr unsigned node = 1, name = 2, initializer = 5, input = 11, output = 12, value_info = 13;
}
namespace node_field {
constexpr unsigned input = 1, output = 2, name = 3, op_type = 4, attribute = 5;
}
namespace attribute_field {
constexpr unsigned name = 1, i = 3, ints = 8, type = 20;
constexpr std::int64_t type_int = 2, type_ints = 7;
}  // namespace attribute_field
namespace tensor_field {
constexpr unsigned dims = 1, data_type = 2, name = 8, raw_data = 9, external_data = 13, data_location = 14;
constexpr std::int64_t external = 1;
}  // namespace tensor_field

Wire attribute_wire(const Attribute& attribute) {
  Wire wire;
  wire.text(attribute_field::name, attribute.name);
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
    wire.integer(attribute_field::i, *number).integer(attribute_field::type, attribute_field::type_int);
    return wire;
  }
  for (const std::int64_t number : std::get<std::vector<std::int64_t>>(attribute.value)) {
    wire.integer(attribute_field::ints, number);
  }
  wire.integer(attribute_field::type, attribute_field::type_ints);
  return wire;
}

Wire node_wire(const Node& node) {
  Wire wire;
  for (const std::string& input : node.inputs) wire.text(node_field::input, input);
  wire.text(node_field::output, node.output)
      .text(node_field::name, node.name)
      .text(node_field::op_type, node.op);
  for (const Attribute& attribute : node.attributes) {
    wire.message(node_field::attribute, attribute_wire(attribute));
  }
  return wire;
}

/// ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1, shape = 2 { dim = 1 { dim_value = 1
/// }}}}.
Wire value_wire(const Value& value) {
  Wire shape;
  for (const std::uint64_t size : value.shape) {
    shape.message(1, Wire().integer(1, static_cast<std::int64_t>(size)));
  }
  Wire tensor;
  tensor.integer(1, onnx_code(value.element)).message(2, shape);
  Wire wire;
  wire.text(1, value.name).message(2, Wire().message(1, tensor));
  return wire;
}

Wire entry_wire(std::string_view key, const std::string& value) {
  Wire wire;
  wire.text(1, key).text(2, value);
  return wire;
}

/// TensorProto without its raw bytes: they follow, or lie in the weights file at `offset`.
Wire tensor_wire(const Initializer& constant, std::optional<std::uint64_t> offset) {
  Wire wire;
  for (const std::uint64_t size : constant.shape) {
    wire.integer(tensor_field::dims, static_cast<std::int64_t>(size));
  }
  wire.integer(tensor_field::data_type, onnx_code(constant.element)).text(tensor_field::name, constant.name);
  if (!offset) return wire.head(tensor_field::raw_data, constant.bytes());
  wire.message(tensor_field::external_data, entry_wire("location", kWeightsFile))
      .message(tensor_field::external_data, entry_wire("offset", std::to_string(*offset)))
      .message(tensor_field::external_data, entry_wire("length", std::to_string(constant.bytes())))
      .integer(tensor_field::data_location, tensor_field::external);
  return wire;
}

void write_rows(const Initializer& constant, OutputFile& file) {
  std::vector<std::byte> row(static_cast<std::size_t>(constant.row_bytes()));
  const std::uint64_t rows = row.empty() ? 0 : constant.bytes() / row.size();
  for (std::uint64_t i = 0; i < rows; ++i) {
    constant.fill_row(i, row);
    file.write(row);
  }
}

/// A constant with everything of its message but raw bytes that follow.
struct Placed {
  const Initializer* constant;
  Wire wire;
  std::optional<std::uint64_t> offset;

  std::uint64_t message_bytes() const { return wire.bytes().size() + (offset ? 0 : constant->bytes()); }
};

std::vector<Placed> place(const Graph& graph, bool outside) {
  std::vector<Placed> placed;
  std::uint64_t end = 0;
  for (const Initializer& constant : graph.initializers) {
    std::optional<std::uint64_t> offset;
    if (outside && constant.bytes() >= kSmallestOutside) {
      offset = (end + kPage - 1) / kPage * kPage;
      end = *offset + constant.bytes();
    }
    placed.push_back({&constant, tensor_wire(constant, offset), offset});
  }
  return placed;
}

void write_weights(const std::vector<Placed>& placed, const std::filesystem::path& path) {
  OutputFile file(path);
  for (const Placed& item : placed) {
    if (!item.offset) continue;
    file.write(std::string(static_cast<std::size_t>(*item.offset - file.size()), '\0'));
    write_rows(*item.constant, file);
  }
  file.finish();
}

/// Everything of the graph but its constants, in the order of the file: what comes before, what comes after.
struct Frame {
  Wire before, after;
};

Frame frame_of(const Graph& graph) {
  Frame frame;
  for (const Node& node : graph.nodes) frame.before.message(graph_field::node, node_wire(node));
  frame.before.text(graph_field::name, graph.name);
  for (const Value& value : graph.inputs) frame.after.message(graph_field::input, value_wire(value));
  for (const Value& value : graph.outputs) frame.after.message(graph_field::output, value_wire(value));
  for (const Value& value : graph.inner) frame.after.message(graph_field::value_info, value_wire(value));
  return frame;
}

void write_model_file(const Frame& frame, const std::vector<Placed>& placed,
                      const std::filesystem::path& path) {
  std::uint64_t graph_bytes = frame.before.bytes().size() + frame.after.bytes().size();
  for (const Placed& item : placed) {
    graph_bytes += Wire().head(graph_field::initializer, item.message_bytes()).bytes().size();
    graph_bytes += item.message_bytes();
  }
  Wire head;
  head.integer(model_field::ir_version, kIrVersion)
      .text(model_field::producer_name, "brink")
      .message(model_field::opset_import, Wire().integer(2, kOpset))
      .head(model_field::graph, graph_bytes);
  OutputFile file(path);
  file.write(head.bytes());
  file.write(frame.before.bytes());
  for (const Placed& item : placed) {
    file.write(Wire().head(graph_field::initializer, item.message_bytes()).bytes());
    file.write(item.wire.bytes());
    if (!item.offset) write_rows(*item.constant, file);
  }
  file.write(frame.after.bytes());
  file.finish();
}

}  // namespace

bool needs_weights_file(const Graph& graph, std::uint64_t most_embedded_bytes) {
  std::uint64_t bytes = 0;
  for (const Initializer& constant : graph.initializers) bytes += constant.bytes();
  return bytes > most_embedded_bytes;
}

void write_onnx(const Graph& graph, const std::filesystem::path& folder, std::uint64_t most_embedded_bytes) {
  const bool outside = needs_weights_file(graph, most_embedded_bytes);
  const std::vector<Placed> placed = place(graph, outside);
  if (outside) write_weights(placed, folder / kWeightsFile);
  write_model_file(frame_of(graph), placed, folder / "model.onnx");
}

}  // namespace brink::synth
