#include "synth_models/model.hpp"

#include <system_error>

#include "synth_models/checkpoint.hpp"
#include "synth_models/facts.hpp"
#include "synth_models/folder.hpp"
#include "synth_models/onnx.hpp"
#include "synth_models/tokenizer.hpp"

namespace brink::synth {
namespace {

namespace fs = std::filesystem;

/// Whether a folder of ours must be replaced. Throws when the place is taken by anything else.
bool must_replace(const fs::path& folder, Existing existing) {
  if (!fs::exists(fs::symlink_status(folder)) || (fs::is_directory(folder) && fs::is_empty(folder))) {
    return false;
  }
  if (!fs::is_directory(folder)) {
    throw std::system_error(ENOTDIR, std::generic_category(), folder.string());
  }
  if (existing == Existing::replace && is_ours(folder)) return true;
  throw std::system_error(EEXIST, std::generic_category(),
                          existing == Existing::replace
                              ? folder.string() + " holds files that brink did not write"
                              : folder.string() + " is not empty");
}

/// The nearest folder upwards that exists: its disk is the one that the model will fill.
fs::path existing_above(fs::path path) {
  path = fs::absolute(path).lexically_normal();
  while (!fs::exists(path) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path;
}

/// A shape too large for the disk is refused at once rather than after an hour.
void check_space(const ModelSpec& spec, const fs::path& folder, const Graph& graph) {
  std::uint64_t needed = facts_of(spec).weight_bytes;
  for (const Initializer& constant : graph.initializers) needed += constant.bytes();
  const std::uint64_t free = fs::space(existing_above(folder)).available;
  if (needed <= free) return;
  throw std::system_error(ENOSPC, std::generic_category(),
                          folder.string() + " would take " + std::to_string(needed) + " bytes, and " +
                              std::to_string(free) + " are free");
}

std::string note_on(const ModelSpec& spec, GraphStyle style, bool weights_file) {
  if (style == GraphStyle::none) return "";
  return "- graph: onnx/model.onnx, opset 17, " + std::to_string(spec.prefill) +
         " positions, logits of the last one; " +
         (weights_file ? "its weights are in onnx/weights.bin, because a protobuf file ends at 2 GiB\n"
                       : "its weights are inside\n");
}

}  // namespace

std::vector<std::string> write_model(const ModelSpec& spec, const fs::path& folder, GraphStyle style,
                                     Existing existing) {
  check_spec(spec);
  const bool replacing = must_replace(folder, existing);
  const Graph graph = style == GraphStyle::none ? Graph{} : dfc_graph(spec);
  check_space(spec, folder, graph);
  if (folder.has_parent_path()) fs::create_directories(fs::absolute(folder).parent_path());
  NewFolder made(folder);
  write_checkpoint(spec, made.path(), note_on(spec, style, needs_weights_file(graph)));
  if (style != GraphStyle::none) {
    fs::create_directory(made.path() / "onnx");
    write_onnx(graph, made.path() / "onnx");
  }
  if (replacing) {
    made.replace();
  } else {
    made.commit();
  }
  if (spec.vocab >= kSmallestTokenizer) return {};
  return {
      "vocab " + std::to_string(spec.vocab) +
      " is too small for a byte-level tokenizer, so no tokenizer files were written; from 258 on there are"};
}

}  // namespace brink::synth
