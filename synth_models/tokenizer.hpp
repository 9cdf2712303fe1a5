#pragma once

#include <cstdint>
#include <string>

#include "synth_models/spec.hpp"

namespace brink::synth {

/// The smallest vocabulary that a byte-level tokenizer fits into: two special tokens and 256 bytes.
inline constexpr std::uint64_t kSmallestTokenizer = 258;

/// Ids of the special tokens; always below the vocabulary.
struct SpecialTokens {
  std::uint64_t bos, eos, pad;
};
SpecialTokens special_tokens(const ModelSpec& spec);

/// Byte-level BPE without merges, one token per byte: any text, ids below the vocabulary. Needs vocab >=
/// kSmallestTokenizer; below 260 there is no <unk> and </s> pads.
std::string tokenizer_json(const ModelSpec& spec);
std::string tokenizer_config_json(const ModelSpec& spec);

}  // namespace brink::synth
