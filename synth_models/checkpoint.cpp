#include "synth_models/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "synth_models/element.hpp"
#include "synth_models/fields.hpp"
#include "synth_models/folder.hpp"
#include "synth_models/model.hpp"
#include "synth_models/safetensors.hpp"
#include "synth_models/tokenizer.hpp"

namespace brink::synth {
namespace {

/// A flat JSON object, one key a line, in the order of the calls.
class JsonLines {
 public:
  JsonLines& raw(std::string_view key, std::string_view value) {
    text_ +=
        (text_.empty() ? "" : ",\n") + std::string("  \"") + std::string(key) + "\": " + std::string(value);
    return *this;
  }
  JsonLines& word(std::string_view key, std::string_view value) {
    return raw(key, std::string(1, '"').append(value).append(1, '"'));
  }
  JsonLines& count(std::string_view key, std::uint64_t value) { return raw(key, std::to_string(value)); }
  JsonLines& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  std::string text() const { return "{\n" + text_ + "\n}\n"; }

 private:
  std::string text_;
};

void add_family(const ModelSpec& spec, JsonLines& json) {
  if (spec.family == "qwen2") {
    json.flag("use_sliding_window", false)
        .raw("sliding_window", "null")
        .count("max_window_layers", spec.layers);
  } else {
    json.flag("attention_bias", false).flag("mlp_bias", false);
  }
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether a path, relative to the folder, is a file of ours.
bool brink_writes(const std::string& name) {
  constexpr std::array kNames = {"config.json",     "generation_config.json",       "tokenizer.json",
                                 "README.md",       "tokenizer_config.json",        "onnx",
                                 "onnx/model.onnx", "model.safetensors.index.json", "onnx/weights.bin"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         (name.rfind("model", 0) == 0 && ends_with(name, ".safetensors"));
}

}  // namespace

std::string config_json(const ModelSpec& spec) {
  const SpecialTokens special = special_tokens(spec);
  const std::string theta = number_text(spec.rope_theta);
  const std::string_view dtype = torch_word(element_of(spec.dtype));
  JsonLines json;
  json.raw("architectures", spec.family == "qwen2" ? R"(["Qwen2ForCausalLM"])" : R"(["LlamaForCausalLM"])")
      .word("model_type", spec.family)
      .count("vocab_size", spec.vocab)
      .count("hidden_size", spec.hidden)
      .count("intermediate_size", spec.intermediate)
      .count("num_hidden_layers", spec.layers)
      .count("num_attention_heads", spec.heads)
      .count("num_key_value_heads", spec.kv_heads)
      .count("head_dim", spec.head_dim)
      .word("hidden_act", "silu")
      .count("max_position_embeddings", spec.max_positions)
      .raw("initializer_range", "0.02")
      .raw("rms_norm_eps", number_text(spec.norm_eps))
      .flag("use_cache", true)
      .flag("tie_word_embeddings", spec.tied)
      .raw("attention_dropout", "0.0");
  add_family(spec, json);
  json.count("bos_token_id", special.bos)
      .count("eos_token_id", special.eos)
      .count("pad_token_id", special.pad)
      .raw("rope_theta", theta)
      .raw("rope_parameters", "{\"rope_theta\": " + theta + ", \"rope_type\": \"default\"}")
      .word("dtype", dtype)
      .word("torch_dtype", dtype)
      .count("brink_seed", spec.seed);
  return json.text();
}

std::string generation_config_json(const ModelSpec& spec) {
  const SpecialTokens special = special_tokens(spec);
  JsonLines json;
  json.flag("_from_model_config", true)
      .count("bos_token_id", special.bos)
      .count("eos_token_id", special.eos)
      .count("pad_token_id", special.pad)
      .word("transformers_version", "5.24.0");
  return json.text();
}

std::string readme(const ModelSpec& spec, const std::string& graph_note) {
  return std::string(kReadmeMark) +
         "\n\nThe weights are random numbers made from the seed: the model has the shape of a trained one "
         "and "
         "says nothing\nof use. It exists to find out what a compiler does with this shape.\n\n"
         "- seed: " +
         std::to_string(spec.seed) + "\n- spec: `" + spec_to_json(spec) + "`\n" + graph_note;
}

bool is_ours(const std::filesystem::path& folder) {
  std::ifstream file(folder / "README.md");
  std::string line;
  if (!std::getline(file, line) || line != kReadmeMark) return false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!brink_writes(entry.path().lexically_relative(folder).string())) return false;
  }
  return true;
}

void write_checkpoint(const ModelSpec& spec, const std::filesystem::path& folder,
                      const std::string& graph_note) {
  write_text(folder / "config.json", config_json(spec));
  write_text(folder / "generation_config.json", generation_config_json(spec));
  write_text(folder / "README.md", readme(spec, graph_note));
  if (spec.vocab >= kSmallestTokenizer) {
    write_text(folder / "tokenizer.json", tokenizer_json(spec));
    write_text(folder / "tokenizer_config.json", tokenizer_config_json(spec));
  }
  write_safetensors(spec, folder);
}

}  // namespace brink::synth
