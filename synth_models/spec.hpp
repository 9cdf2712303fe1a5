#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace brink::synth {

/// A shape that cannot be, or a field that is not one: `field` names who set it.
class SpecError : public std::runtime_error {
 public:
  SpecError(std::string field, const std::string& message)
      : std::runtime_error(message), field_(std::move(field)) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// Everything that makes a synthetic transformer (CONTRACT 8). Sizes in elements unless they say _bytes.
struct ModelSpec {
  std::string family = "llama";
  std::uint64_t layers = 4, hidden = 64, heads = 4, kv_heads = 2, head_dim = 16, intermediate = 128,
                vocab = 300;
  double rope_theta = 10000.0, norm_eps = 1e-6;
  std::uint64_t max_positions = 2048, sliding_window = 0;
  bool tied = false;
  std::string dtype = "f32";
  std::uint64_t seed = 0;
  std::uint64_t shard_bytes = 0;           ///< 0: one file; else no shard holds more, unless one tensor does
  std::uint64_t prefill = 16, cache = 24;  ///< prompt length and cache size of the graphs
  bool operator==(const ModelSpec&) const = default;
};

/// The fields by name, in the order of CONTRACT 8, "preset" and "nrep" included.
std::vector<std::string> field_names();
std::vector<std::string> preset_names();

/// `preset` first (when given), then every other field over it; nrep in place of kv_heads. Throws SpecError
/// naming the rule that an impossible shape breaks. What nobody set follows from what was set: head_dim is
/// hidden / heads, cache is prefill + 8, max_positions holds the cache.
ModelSpec spec_from_fields(const std::map<std::string, std::string>& fields);

/// Throws SpecError when the shape is impossible or too large to count. spec_from_fields has called it.
void check_spec(const ModelSpec& spec);

/// Canonical JSON of every field: equal specs, equal bytes. The digest of it keys the artifact cache.
std::string spec_to_json(const ModelSpec& spec);

}  // namespace brink::synth
