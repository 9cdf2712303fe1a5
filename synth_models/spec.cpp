#include "synth_models/spec.hpp"

#include <algorithm>

#include "synth_models/fields.hpp"
#include "synth_models/presets.hpp"

namespace brink::synth {
namespace {

using Fields = std::map<std::string, std::string>;

/// A field that holds a whole number, and where it lives.
struct CountField {
  const char* name;
  std::uint64_t ModelSpec::*member;
};

constexpr CountField kCounts[] = {
    {"layers", &ModelSpec::layers},
    {"hidden", &ModelSpec::hidden},
    {"heads", &ModelSpec::heads},
    {"kv_heads", &ModelSpec::kv_heads},
    {"head_dim", &ModelSpec::head_dim},
    {"intermediate", &ModelSpec::intermediate},
    {"vocab", &ModelSpec::vocab},
    {"max_positions", &ModelSpec::max_positions},
    {"sliding_window", &ModelSpec::sliding_window},
    {"seed", &ModelSpec::seed},
    {"shard_bytes", &ModelSpec::shard_bytes},
    {"prefill", &ModelSpec::prefill},
    {"cache", &ModelSpec::cache},
};

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool known_field(const std::string& name) {
  const std::vector<std::string> names = field_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

SpecError unknown_field(const std::string& name) {
  return SpecError(name, "no model field is called \"" + name + "\"; the fields are " + list(field_names()));
}

ModelSpec base_of(const Fields& fields) {
  const auto named = fields.find("preset");
  if (named == fields.end()) return {};
  const Preset* preset = find_preset(named->second);
  if (preset == nullptr) {
    throw SpecError("preset",
                    "no preset is called \"" + named->second + "\"; the presets are " + list(preset_names()));
  }
  return preset->spec;
}

void set_fields(ModelSpec& spec, const Fields& fields) {
  for (const auto& [name, text] : fields) {
    if (!known_field(name)) throw unknown_field(name);
    if (name == "family") spec.family = text;
    if (name == "dtype") spec.dtype = text;
    if (name == "rope_theta") spec.rope_theta = read_number(name, text);
    if (name == "norm_eps") spec.norm_eps = read_number(name, text);
    if (name == "tied") spec.tied = read_bool(name, text);
    for (const CountField& field : kCounts) {
      if (name == field.name) spec.*field.member = read_count(name, text);
    }
  }
}

void set_kv_heads_from_nrep(ModelSpec& spec, const Fields& fields) {
  const auto given = fields.find("nrep");
  if (given == fields.end()) return;
  const std::uint64_t nrep = read_count("nrep", given->second);
  if (nrep == 0 || spec.heads % nrep != 0) {
    throw SpecError("nrep", "nrep " + given->second + " does not divide heads " + std::to_string(spec.heads) +
                                "; kv_heads = heads / nrep must be a whole number");
  }
  const std::uint64_t kv_heads = spec.heads / nrep;
  if (fields.count("kv_heads") != 0 && spec.kv_heads != kv_heads) {
    throw SpecError("nrep", "nrep " + given->second + " and kv_heads " + std::to_string(spec.kv_heads) +
                                " contradict each other at heads " + std::to_string(spec.heads) +
                                "; give one of them");
  }
  spec.kv_heads = kv_heads;
}

/// What nobody set follows from what was set.
void derive(ModelSpec& spec, const Fields& fields) {
  const auto given = [&](const char* name) { return fields.count(name) != 0; };
  if (!given("head_dim") && (given("hidden") || given("heads")) && spec.heads != 0) {
    if (spec.hidden % spec.heads != 0) {
      throw SpecError(given("heads") ? "heads" : "hidden",
                      "hidden " + std::to_string(spec.hidden) + " is not a multiple of heads " +
                          std::to_string(spec.heads) + "; set head_dim, or sizes that divide");
    }
    spec.head_dim = spec.hidden / spec.heads;
  }
  if (given("prefill") && !given("cache")) {
    const bool near = spec.prefill < spec.max_positions && (given("max_positions") || given("preset"));
    spec.cache = spec.prefill + (near ? std::min<std::uint64_t>(8, spec.max_positions - spec.prefill) : 8);
  }
  if (!given("max_positions") && !given("preset"))
    spec.max_positions = std::max(spec.max_positions, spec.cache);
}

/// Names the field of a rule that the user set, so that the complaint points at a line that exists.
std::string blame(const Fields& fields, std::initializer_list<const char*> candidates) {
  for (const char* name : candidates) {
    if (fields.count(name) != 0) return name;
  }
  return fields.count("preset") != 0 ? "preset" : *candidates.begin();
}

std::string quantity(const char* name, std::uint64_t value) {
  return std::string(name) + " " + std::to_string(value);
}

void check_sizes(const ModelSpec& spec, const Fields& fields) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;
  // A safetensors header may hold 100 MB; nine to twelve tensors a layer must fit with room to spare.
  constexpr std::uint64_t kMostLayers = 10000;
  for (const CountField& field : kCounts) {
    const std::string name = field.name;
    const std::uint64_t value = spec.*field.member;
    if (name == "seed" || name == "shard_bytes") continue;
    if (value == 0 && name != "sliding_window") throw SpecError(name, name + " must be at least 1");
    if (value >= kLargest) {
      throw SpecError(blame(fields, {field.name}), quantity(field.name, value) + " is too large; below " +
                                                       std::to_string(kLargest) + " would be right");
    }
  }
  if (spec.layers > kMostLayers) {
    throw SpecError("layers",
                    quantity("layers", spec.layers) + " is too large; at most 10000 can be written");
  }
}

void check_words(const ModelSpec& spec) {
  if (spec.family == "qwen3" || spec.family == "mistral") {
    throw SpecError("family", "family " + spec.family + " is not in this version; llama and qwen2 are");
  }
  if (spec.family != "llama" && spec.family != "qwen2") {
    throw SpecError("family", "no family is called \"" + spec.family + "\"; llama and qwen2 are");
  }
  if (spec.dtype != "f32" && spec.dtype != "f16" && spec.dtype != "bf16") {
    throw SpecError("dtype", "no dtype is called \"" + spec.dtype + "\"; f32, f16 and bf16 are");
  }
}

void check_attention(const ModelSpec& spec, const Fields& fields) {
  if (spec.heads % spec.kv_heads != 0) {
    throw SpecError(blame(fields, {"kv_heads", "nrep", "heads"}),
                    quantity("heads", spec.heads) + " is not a multiple of " +
                        quantity("kv_heads", spec.kv_heads) + ": each kv head serves as many query heads");
  }
  if (spec.head_dim % 2 != 0) {
    throw SpecError(blame(fields, {"head_dim", "hidden", "heads"}),
                    quantity("head_dim", spec.head_dim) + " is odd; rotary embeddings turn pairs");
  }
  if (spec.family == "llama" && spec.hidden % spec.heads != 0) {
    throw SpecError(blame(fields, {"heads", "hidden"}),
                    quantity("hidden", spec.hidden) + " is not a multiple of " +
                        quantity("heads", spec.heads) + "; family llama is refused without, by transformers");
  }
  if (spec.sliding_window != 0) {
    throw SpecError("sliding_window", "family " + spec.family + " has no sliding window; leave it 0");
  }
}

void check_numbers(const ModelSpec& spec, const Fields& fields) {
  if (!(spec.rope_theta >= 1.0 && spec.rope_theta <= 1e12)) {
    throw SpecError("rope_theta", "rope_theta must lie between 1 and 1e12");
  }
  if (!(spec.norm_eps > 0.0 && spec.norm_eps <= 0.1)) {
    throw SpecError("norm_eps", "norm_eps must be above 0 and at most 0.1");
  }
  if (spec.cache <= spec.prefill) {
    throw SpecError(blame(fields, {"cache", "prefill"}),
                    quantity("cache", spec.cache) + " must be larger than " +
                        quantity("prefill", spec.prefill) + ": the prompt and one token must fit");
  }
  if (spec.cache > spec.max_positions) {
    throw SpecError(
        blame(fields, {"max_positions", "cache", "prefill"}),
        quantity("cache", spec.cache) + " is larger than " + quantity("max_positions", spec.max_positions));
  }
}

void check_total(const ModelSpec& spec, const Fields& fields) {
  // long double keeps 64 bits at least on no machine for sure, but 53 suffice to find what is absurd.
  const auto of = [](std::uint64_t value) { return static_cast<long double>(value); };
  const long double attention =
      of(spec.hidden) * of(spec.head_dim) * (2 * of(spec.heads) + 2 * of(spec.kv_heads));
  const long double layer = attention + 3 * of(spec.hidden) * of(spec.intermediate);
  const long double total = of(spec.layers) * layer + 2 * of(spec.vocab) * of(spec.hidden);
  constexpr long double kMost = 1e15L;
  if (total > kMost) {
    throw SpecError(blame(fields, {"hidden", "intermediate", "layers", "vocab", "heads", "head_dim"}),
                    "the model would have more than 1e15 weights; smaller sizes would be right");
  }
  const long double mask = of(spec.prefill) * of(spec.heads) * of(spec.prefill);
  if (mask > kMost) {
    throw SpecError(blame(fields, {"prefill", "heads"}),
                    "the attention mask would have more than 1e15 values");
  }
}

void check(const ModelSpec& spec, const Fields& fields) {
  check_words(spec);
  check_sizes(spec, fields);
  check_attention(spec, fields);
  check_numbers(spec, fields);
  check_total(spec, fields);
}

}  // namespace

std::vector<std::string> field_names() {
  return {"preset",   "family",       "layers", "hidden",      "heads",    "kv_heads",      "nrep",
          "head_dim", "intermediate", "vocab",  "rope_theta",  "norm_eps", "max_positions", "sliding_window",
          "tied",     "dtype",        "seed",   "shard_bytes", "prefill",  "cache"};
}

ModelSpec spec_from_fields(const Fields& fields) {
  ModelSpec spec = base_of(fields);
  set_fields(spec, fields);
  set_kv_heads_from_nrep(spec, fields);
  derive(spec, fields);
  check(spec, fields);
  return spec;
}

void check_spec(const ModelSpec& spec) { check(spec, {}); }

std::string spec_to_json(const ModelSpec& spec) {
  std::string json = "{\"family\":\"" + spec.family + "\"";
  for (const CountField& field : kCounts) {
    json += ",\"" + std::string(field.name) + "\":" + std::to_string(spec.*field.member);
  }
  json += ",\"rope_theta\":" + number_text(spec.rope_theta) + ",\"norm_eps\":" + number_text(spec.norm_eps);
  json += std::string(",\"tied\":") + (spec.tied ? "true" : "false") + ",\"dtype\":\"" + spec.dtype + "\"}";
  return json;
}

}  // namespace brink::synth
