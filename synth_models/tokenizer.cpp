#include "synth_models/tokenizer.hpp"

#include <algorithm>
#include <vector>

namespace brink::synth {
namespace {

bool has_four_specials(const ModelSpec& spec) { return spec.vocab >= kSmallestTokenizer + 2; }

std::vector<std::string> specials(const ModelSpec& spec) {
  if (has_four_specials(spec)) return {"<unk>", "<s>", "</s>", "<pad>"};
  return {"<s>", "</s>"};
}

bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/// The printable character that byte-level tokenizers write for a byte, as UTF-8 inside a JSON string.
std::vector<std::string> byte_characters() {
  std::vector<std::string> characters;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const unsigned point = stands_for_itself(byte) ? byte : next++;
    if (point == '"' || point == '\\') {
      characters.push_back(std::string("\\") + static_cast<char>(point));
    } else if (point < 0x80) {
      characters.emplace_back(1, static_cast<char>(point));
    } else {
      characters.push_back(
          {static_cast<char>(0xc0 | (point >> 6)), static_cast<char>(0x80 | (point & 0x3f))});
    }
  }
  return characters;
}

std::string added_tokens(const ModelSpec& spec) {
  std::string text;
  std::size_t id = 0;
  for (const std::string& content : specials(spec)) {
    text += std::string(id == 0 ? "\n" : ",\n") + "    {\"id\": " + std::to_string(id) + ", \"content\": \"" +
            content + R"(", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, )" +
            "\"special\": true}";
    ++id;
  }
  return text;
}

std::string vocabulary(const ModelSpec& spec) {
  std::vector<std::string> tokens = specials(spec);
  for (std::string& character : byte_characters()) tokens.push_back(std::move(character));
  std::string text;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    text += std::string(id == 0 ? "\n" : ",\n") + "      \"" + tokens[id] + "\": " + std::to_string(id);
  }
  return text;
}

}  // namespace

SpecialTokens special_tokens(const ModelSpec& spec) {
  if (has_four_specials(spec)) return {1, 2, 3};
  if (spec.vocab >= kSmallestTokenizer) return {0, 1, 1};
  const std::uint64_t last = spec.vocab - 1;
  return {std::min<std::uint64_t>(1, last), std::min<std::uint64_t>(2, last),
          std::min<std::uint64_t>(3, last)};
}

std::string tokenizer_json(const ModelSpec& spec) {
  // transformers 5 uses its own class for qwen2, which normalises: written, all readers agree.
  const char* normalizer = spec.family == "qwen2" ? R"({"type": "NFC"})" : "null";
  return R"({
  "version": "1.0",
  "truncation": null,
  "padding": null,
  "added_tokens": [)" +
         added_tokens(spec) + R"(
  ],
  "normalizer": )" +
         normalizer + R"(,
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
  "post_processor": null,
  "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
  "model": {
    "type": "BPE",
    "dropout": null,
    "unk_token": null,
    "continuing_subword_prefix": null,
    "end_of_word_suffix": null,
    "fuse_unk": false,
    "byte_fallback": false,
    "ignore_merges": false,
    "vocab": {)" +
         vocabulary(spec) + R"(
    },
    "merges": []
  }
}
)";
}

std::string tokenizer_config_json(const ModelSpec& spec) {
  const bool four = has_four_specials(spec);
  return std::string(R"({
  "tokenizer_class": "PreTrainedTokenizerFast",
  "bos_token": "<s>",
  "eos_token": "</s>",
  "pad_token": ")") +
         (four ? "<pad>" : "</s>") + "\",\n" + (four ? "  \"unk_token\": \"<unk>\",\n" : "") +
         R"(  "clean_up_tokenization_spaces": false,
  "model_max_length": )" +
         std::to_string(spec.max_positions) + R"(,
  "model_input_names": ["input_ids", "attention_mask"]
}
)";
}

}  // namespace brink::synth
