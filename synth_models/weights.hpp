#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "synth_models/element.hpp"
#include "synth_models/spec.hpp"

namespace brink::synth {

/// One tensor of a checkpoint: [out, in] for matrices. Its values are normal with mean `mean` and standard
/// deviation `deviation`; a deviation of 0 means all equal.
struct Tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  float mean = 0, deviation = 0;

  std::uint64_t count() const;
};

/// The tensors that transformers expects of this model, in plain byte order of their names.
std::vector<Tensor> tensors_of(const ModelSpec& spec);

/// Elements first, first + stride, first + 2 stride, … of a tensor, as many as fit into `bytes`. Each value
/// is a pure function of (seed, tensor name, index): equal on every machine, whatever the order of the calls.
///
/// How: the index is hashed with keys from seed and name into 64 bits; the sum of their four 16-bit parts, as
/// x in (-1, 1), goes through an odd polynomial fitted to the normal's quantiles (Teichroew's method).
/// Integer operations, then single multiplications and additions of floats, each rounded by IEEE 754: no
/// libm, and the library is built without contraction. Variance 1.00001, kurtosis 3.0001, no value
/// beyond 4.93 deviations.
void fill(std::uint64_t seed, const Tensor& tensor, Element element, std::uint64_t first,
          std::uint64_t stride, std::span<std::byte> bytes);

}  // namespace brink::synth
