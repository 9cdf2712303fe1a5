#include <catch2/catch.hpp>

#include "synth_models/facts.hpp"
#include "synth_models/spec.hpp"
#include "synth_models/weights.hpp"

namespace brink::synth {
namespace {

using Fields = std::map<std::string, std::string>;

/// The complaint about fields that must be refused, as "field: message".
std::string complaint(const Fields& fields) {
  try {
    spec_from_fields(fields);
  } catch (const SpecError& error) {
    return error.field() + ": " + error.what();
  }
  return "accepted";
}

struct Refused {
  Fields fields;
  const char* field;    // who is blamed
  const char* mention;  // part of the message
};

TEST_CASE("spec: refuses an impossible shape, naming the field and the rule", "[spec]") {
  const std::vector<Refused> table = {
      {{{"heads", "4"}, {"kv_heads", "3"}}, "kv_heads", "not a multiple of kv_heads 3"},
      {{{"preset", "qwen2.5-0.5b"}, {"heads", "7"}}, "heads", "not a multiple of kv_heads 2"},
      {{{"heads", "4"}, {"nrep", "3"}}, "nrep", "does not divide heads 4"},
      {{{"nrep", "0"}}, "nrep", "does not divide"},
      {{{"heads", "4"}, {"nrep", "2"}, {"kv_heads", "4"}}, "nrep", "contradict"},
      {{{"head_dim", "15"}}, "head_dim", "odd"},
      {{{"hidden", "12"}, {"heads", "4"}}, "hidden", "odd"},
      {{{"hidden", "65"}}, "hidden", "not a multiple of heads 4"},
      {{{"hidden", "64"}, {"heads", "6"}, {"kv_heads", "2"}, {"head_dim", "16"}}, "heads", "transformers"},
      {{{"layers", "0"}}, "layers", "at least 1"},
      {{{"heads", "0"}}, "heads", "at least 1"},
      {{{"kv_heads", "0"}}, "kv_heads", "at least 1"},
      {{{"vocab", "0"}}, "vocab", "at least 1"},
      {{{"prefill", "0"}}, "prefill", "at least 1"},
      {{{"layers", "10001"}}, "layers", "at most 10000"},
      {{{"intermediate", "18446744073709551615"}}, "intermediate", "too large"},
      {{{"intermediate", "2147483647"}, {"hidden", "2147483640"}}, "hidden", "1e15"},
      {{{"prefill", "2000000000"}, {"max_positions", "2100000000"}}, "prefill", "mask"},
      {{{"prefill", "32"}, {"cache", "32"}}, "cache", "must be larger than prefill 32"},
      {{{"preset", "tinystories-25m"}, {"cache", "4096"}}, "cache", "larger than max_positions 2048"},
      {{{"prefill", "2048"}, {"max_positions", "2048"}}, "max_positions", "cache 2056 is larger than"},
      {{{"prefill", "18446744073709551615"}}, "prefill", "too large"},
      {{{"dtype", "f8"}}, "dtype", "f32, f16 and bf16"},
      {{{"family", "gpt2"}}, "family", "llama and qwen2"},
      {{{"family", "qwen3"}}, "family", "not in this version"},
      {{{"family", "mistral"}}, "family", "not in this version"},
      {{{"sliding_window", "8"}}, "sliding_window", "no sliding window"},
      {{{"rope_theta", "0"}}, "rope_theta", "between 1"},
      {{{"norm_eps", "0"}}, "norm_eps", "above 0"},
      {{{"norm_eps", "nan"}}, "norm_eps", "takes a number"},
      {{{"rope_theta", "1e400"}}, "rope_theta", "takes a number"},
      {{{"layers", "4.0"}}, "layers", "whole number"},
      {{{"layers", "-1"}}, "layers", "whole number"},
      {{{"layers", "04"}}, "layers", "whole number"},
      {{{"layers", " 4"}}, "layers", "whole number"},
      {{{"layers", ""}}, "layers", "whole number"},
      {{{"seed", "18446744073709551616"}}, "seed", "whole number"},
      {{{"tied", "yes"}}, "tied", "true or false"},
      {{{"layer", "4"}}, "layer", "the fields are"},
      {{{"preset", "gpt-5"}}, "preset", "the presets are"},
  };
  for (const Refused& row : table) {
    const std::string said = complaint(row.fields);
    CAPTURE(said);
    CHECK(said.rfind(std::string(row.field) + ": ", 0) == 0);
    CHECK(said.find(row.mention) != std::string::npos);
  }
}

TEST_CASE("spec: nrep stands in for kv_heads, and agrees with it", "[spec]") {
  CHECK(spec_from_fields({{"hidden", "112"}, {"heads", "14"}, {"nrep", "7"}}).kv_heads == 2);
  CHECK(spec_from_fields({{"heads", "4"}, {"nrep", "1"}, {"kv_heads", "4"}}).kv_heads == 4);
  CHECK(spec_from_fields({{"preset", "qwen2.5-0.5b"}, {"nrep", "14"}}).kv_heads == 1);
}

TEST_CASE("spec: what nobody set follows from what was set", "[spec]") {
  CHECK(spec_from_fields({{"hidden", "128"}}).head_dim == 32);
  CHECK(spec_from_fields({{"hidden", "128"}, {"head_dim", "24"}}).head_dim == 24);
  CHECK(spec_from_fields({{"preset", "qwen2.5-0.5b"}, {"layers", "2"}}).head_dim == 64);
  CHECK(spec_from_fields({{"prefill", "64"}}).cache == 72);
  CHECK(spec_from_fields({{"prefill", "64"}, {"max_positions", "66"}}).cache == 66);
  CHECK(spec_from_fields({{"cache", "4096"}}).max_positions == 4096);
  CHECK(spec_from_fields({{"prefill", "4096"}}).max_positions == 4104);
  CHECK(spec_from_fields({{"family", "qwen2"}, {"hidden", "50"}, {"head_dim", "8"}}).hidden == 50);
}

TEST_CASE("spec: every preset can be made, and a field goes over it", "[spec]") {
  for (const std::string& name : preset_names()) {
    CAPTURE(name);
    CHECK(spec_from_fields({{"preset", name}, {"layers", "3"}}).layers == 3);
  }
  const ModelSpec qwen = spec_from_fields({{"preset", "qwen2.5-0.5b"}});
  CHECK(facts_of(qwen).parameters == 494032768);
  CHECK(facts_of(spec_from_fields({{"preset", "tinystories-25m"}})).parameters == 25823488);
  CHECK(facts_of(spec_from_fields({{"preset", "smollm2-135m"}})).parameters == 134515008);
  CHECK(facts_of(spec_from_fields({{"preset", "tinyllama-1.1b"}})).parameters == 1100048384);
}

TEST_CASE("spec: the canonical JSON tells every field apart", "[spec]") {
  const ModelSpec base = spec_from_fields({});
  CHECK(spec_to_json(base) == spec_to_json(spec_from_fields({{"layers", "4"}, {"norm_eps", "0.000001"}})));
  const std::vector<Fields> changes = {{{"family", "qwen2"}},
                                       {{"layers", "5"}},
                                       {{"hidden", "128"}, {"head_dim", "16"}},
                                       {{"heads", "8"}, {"head_dim", "16"}},
                                       {{"kv_heads", "4"}},
                                       {{"head_dim", "8"}},
                                       {{"intermediate", "8"}},
                                       {{"vocab", "301"}},
                                       {{"rope_theta", "5"}},
                                       {{"norm_eps", "1e-5"}},
                                       {{"max_positions", "64"}},
                                       {{"tied", "true"}},
                                       {{"dtype", "f16"}},
                                       {{"seed", "1"}},
                                       {{"shard_bytes", "9"}},
                                       {{"prefill", "15"}, {"cache", "24"}},
                                       {{"cache", "25"}}};
  for (const Fields& change : changes) {
    CAPTURE(change.begin()->first);
    CHECK(spec_to_json(spec_from_fields(change)) != spec_to_json(base));
  }
}

TEST_CASE("facts: parameters are the sum of the tensors", "[facts]") {
  for (const char* family : {"llama", "qwen2"}) {
    for (const char* tied : {"true", "false"}) {
      const ModelSpec spec = spec_from_fields({{"family", family}, {"tied", tied}, {"dtype", "bf16"}});
      std::uint64_t sum = 0;
      for (const Tensor& tensor : tensors_of(spec)) sum += tensor.count();
      CHECK(facts_of(spec).parameters == sum);
      CHECK(facts_of(spec).weight_bytes == 2 * sum);
    }
  }
}

TEST_CASE("facts: keys and values of the cache", "[facts]") {
  const ModelSpec spec = spec_from_fields({{"cache", "100"}, {"dtype", "f16"}});
  CHECK(facts_of(spec).kv_bytes == 2 * 4 * (2 * 16) * 100 * 2);
}

}  // namespace
}  // namespace brink::synth
