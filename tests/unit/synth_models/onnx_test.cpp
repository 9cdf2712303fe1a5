#include "synth_models/onnx.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <onnx/onnx_pb.h>

#include "synth_models/facts.hpp"
#include "synth_models/weights.hpp"

namespace brink::synth {
namespace {

namespace fs = std::filesystem;

/// A graph written and read back by the onnx library's own classes.
class Written {
 public:
  explicit Written(const ModelSpec& spec, std::uint64_t most_embedded = kMostEmbeddedBytes) {
    std::string name = (fs::temp_directory_path() / "brink-onnx-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    write_onnx(dfc_graph(spec), folder_, most_embedded);
    std::ifstream stream(folder_ / "model.onnx", std::ios::binary);
    REQUIRE(model_.ParseFromIstream(&stream));
  }
  ~Written() { fs::remove_all(folder_); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  const onnx::ModelProto& model() const { return model_; }
  const onnx::GraphProto& graph() const { return model_.graph(); }
  const fs::path& folder() const { return folder_; }
  const onnx::TensorProto& constant(const std::string& name) const {
    for (const auto& tensor : graph().initializer()) {
      if (tensor.name() == name) return tensor;
    }
    throw std::runtime_error("no constant " + name);
  }
  /// Names of the nodes of one kind whose operands are both computed, in the order of the file.
  std::vector<std::string> computed(const std::string& op) const {
    std::set<std::string> constants;
    for (const auto& tensor : graph().initializer()) constants.insert(tensor.name());
    std::vector<std::string> names;
    for (const auto& node : graph().node()) {
      if (node.op_type() != op || node.name().find("act_fn") != std::string::npos) continue;
      if (constants.count(node.input(0)) == 0 && constants.count(node.input(1)) == 0) {
        names.push_back(node.name());
      }
    }
    return names;
  }
  std::vector<std::string> readers(const std::string& value) const {
    std::vector<std::string> names;
    for (const auto& node : graph().node()) {
      for (const std::string& input : node.input()) {
        if (input == value) names.push_back(node.name());
      }
    }
    return names;
  }

 private:
  fs::path folder_;
  onnx::ModelProto model_;
};

std::vector<std::int64_t> shape_of(const onnx::ValueInfoProto& value) {
  std::vector<std::int64_t> shape;
  for (const auto& dim : value.type().tensor_type().shape().dim()) shape.push_back(dim.dim_value());
  return shape;
}

ModelSpec small(const std::string& family = "llama", const std::string& nrep = "2") {
  return spec_from_fields({{"family", family}, {"nrep", nrep}, {"layers", "3"}, {"prefill", "5"}});
}

using Sizes = std::vector<std::int64_t>;

TEST_CASE("onnx: inputs and output are the DFC's, in its order", "[onnx]") {
  const Written written(small());
  const std::vector<std::pair<std::string, Sizes>> expected = {
      {"inputs_embeds", {1, 5, 64}}, {"attention_mask", {1, 1, 5, 20}}, {"pe_k_cos", {1, 5, 16}},
      {"pe_q_cos", {1, 5, 16}},      {"pe_k_sin", {1, 5, 16}},          {"pe_q_sin", {1, 5, 16}}};
  REQUIRE(written.graph().input_size() == 6);
  for (int i = 0; i < 6; ++i) {
    CHECK(written.graph().input(i).name() == expected[static_cast<std::size_t>(i)].first);
    CHECK(shape_of(written.graph().input(i)) == expected[static_cast<std::size_t>(i)].second);
  }
  REQUIRE(written.graph().output_size() == 1);
  CHECK(written.graph().output(0).name() == "logits");
  CHECK(shape_of(written.graph().output(0)) == Sizes{1, 1, 300});
  CHECK(written.model().opset_import(0).version() == 17);
}

TEST_CASE("onnx: additions and multiplications come in the order of the DFC's numbers", "[onnx]") {
  for (const char* nrep : {"1", "2", "4"}) {
    const Written written(small("qwen2", nrep));
    const std::vector<std::string> adds = written.computed("Add"), muls = written.computed("Mul");
    const ModelFacts facts = facts_of(small("qwen2", nrep));
    REQUIRE(adds.size() == facts.ew_add);
    REQUIRE(muls.size() == facts.ew_mult);
    for (std::size_t layer = 0; layer < 3; ++layer) {
      const std::string at = "/model/layers." + std::to_string(layer);
      const auto expect = [&](const std::vector<std::string>& names, std::size_t number, const char* tail) {
        CHECK(names[5 * layer + number - 1] == at + tail);
      };
      expect(adds, 1, "/self_attn/q_rope/Add");
      expect(adds, 2, "/self_attn/k_rope/Add");
      expect(adds, 3, "/self_attn/mask/Add");
      expect(adds, 4, "/Add");
      expect(adds, 5, "/Add_1");
      expect(muls, 1, "/self_attn/q_cos/Mul");
      expect(muls, 2, "/self_attn/k_cos/Mul");
      expect(muls, 3, "/self_attn/q_sin/Mul");
      expect(muls, 4, "/self_attn/k_sin/Mul");
      expect(muls, 5, "/mlp/Mul");
    }
  }
}

TEST_CASE("onnx: each shared input feeds its operation in every layer, and nothing else", "[onnx]") {
  const Written written(small());
  const std::map<std::string, std::string> reader = {{"attention_mask", "mask/Add"},
                                                     {"pe_k_cos", "k_cos/Mul"},
                                                     {"pe_q_cos", "q_cos/Mul"},
                                                     {"pe_k_sin", "k_sin/Mul"},
                                                     {"pe_q_sin", "q_sin/Mul"}};
  for (const auto& [input, tail] : reader) {
    const std::vector<std::string> names = written.readers(input);
    REQUIRE(names.size() == facts_of(small()).shared_input_fanout);
    for (std::size_t layer = 0; layer < names.size(); ++layer) {
      CHECK(names[layer] == "/model/layers." + std::to_string(layer) + "/self_attn/" + tail);
    }
  }
}

TEST_CASE("onnx: nodes come after what they read, and every value has a shape", "[onnx]") {
  const Written written(small("qwen2"));
  std::set<std::string> known, shaped;
  for (const auto& value : written.graph().input()) known.insert(value.name());
  for (const auto& tensor : written.graph().initializer()) CHECK(known.insert(tensor.name()).second);
  for (const auto& value : written.graph().value_info()) shaped.insert(value.name());
  shaped.insert("logits");
  for (const auto& node : written.graph().node()) {
    for (const std::string& input : node.input()) CHECK(known.count(input) == 1);
    CHECK(known.insert(node.output(0)).second);
    CHECK(shaped.count(node.output(0)) == 1);
  }
  CHECK(known.count("logits") == 1);
}

TEST_CASE("onnx: a matrix is the checkpoint's, transposed", "[onnx]") {
  const ModelSpec spec = small("qwen2");
  const Written written(spec);
  const std::string name = "model.layers.1.self_attn.k_proj.weight";
  for (const Tensor& tensor : tensors_of(spec)) {
    if (tensor.name != name) continue;
    const std::size_t rows = tensor.shape[0], columns = tensor.shape[1];
    std::vector<float> stored(rows * columns), moved(rows * columns);
    fill(spec.seed, tensor, Element::f32, 0, 1, std::as_writable_bytes(std::span(stored)));
    const auto& constant = written.constant(name);
    REQUIRE(constant.dims(0) == static_cast<std::int64_t>(columns));
    REQUIRE(constant.raw_data().size() == moved.size() * sizeof(float));
    std::copy(constant.raw_data().begin(), constant.raw_data().end(), reinterpret_cast<char*>(moved.data()));
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        REQUIRE(moved[column * rows + row] == stored[row * columns + column]);
      }
    }
    return;
  }
  FAIL("no tensor " << name);
}

TEST_CASE("onnx: large weights lie in a file beside, and are the same", "[onnx]") {
  const ModelSpec spec = small();
  const Written inside(spec), outside(spec, 0);
  CHECK_FALSE(fs::exists(inside.folder() / "weights.bin"));
  std::ifstream stream(outside.folder() / "weights.bin", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  int moved = 0;
  for (const auto& tensor : outside.graph().initializer()) {
    const std::string& expected = inside.constant(tensor.name()).raw_data();
    if (expected.size() < 1024) {
      CHECK(tensor.raw_data() == expected);
      continue;
    }
    REQUIRE(tensor.data_location() == onnx::TensorProto::EXTERNAL);
    std::map<std::string, std::string> where;
    for (const auto& entry : tensor.external_data()) where[entry.key()] = entry.value();
    CHECK(where["location"] == "weights.bin");
    const std::size_t offset = std::stoull(where["offset"]);
    CHECK(offset % 4096 == 0);
    CHECK(file.substr(offset, std::stoull(where["length"])) == expected);
    ++moved;
  }
  CHECK(moved > 20);
}

TEST_CASE("onnx: f16 and bf16 graphs keep their weights in that type", "[onnx]") {
  for (const auto& [dtype, code] : {std::pair{"f16", 10}, std::pair{"bf16", 16}}) {
    const Written written(spec_from_fields({{"dtype", dtype}, {"layers", "1"}}));
    for (const auto& tensor : written.graph().initializer()) {
      CHECK((tensor.data_type() == code || tensor.data_type() == 7));
    }
    CHECK(written.graph().input(0).type().tensor_type().elem_type() == code);
  }
}

}  // namespace
}  // namespace brink::synth
