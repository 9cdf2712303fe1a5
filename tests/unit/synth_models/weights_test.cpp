#include "synth_models/weights.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "synth_models/element.hpp"

namespace brink::synth {
namespace {

std::vector<float> values(std::uint64_t seed, const Tensor& tensor, std::uint64_t first, std::uint64_t stride,
                          std::size_t count) {
  std::vector<float> result(count);
  fill(seed, tensor, Element::f32, first, stride, std::as_writable_bytes(std::span(result)));
  return result;
}

const Tensor kPlain{"tensor", {1 << 20}, 0.0F, 1.0F};

TEST_CASE("weights: values do not depend on how they are asked for", "[weights]") {
  const std::vector<float> whole = values(7, kPlain, 0, 1, 5000);
  for (const std::size_t first : {0UL, 1UL, 17UL, 4096UL}) {
    const std::vector<float> part = values(7, kPlain, first, 1, 900);
    CHECK(std::memcmp(part.data(), whole.data() + first, 900 * sizeof(float)) == 0);
  }
  const std::vector<float> every_third = values(7, kPlain, 2, 3, 1000);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE(every_third[i] == whole[2 + 3 * i]);
}

TEST_CASE("weights: a run that crosses 2^32 elements equals its parts", "[weights]") {
  const std::uint64_t border = std::uint64_t{1} << 32;
  for (const std::uint64_t stride : {1UL, 7UL, 151936UL}) {
    const std::vector<float> whole = values(7, kPlain, border - 10 * stride - 3, stride, 40);
    for (std::size_t i = 0; i < 40; ++i) {
      REQUIRE(values(7, kPlain, border - 10 * stride - 3 + i * stride, 1, 1).front() == whole[i]);
    }
  }
  CHECK(values(7, kPlain, border, 1, 4) != values(7, kPlain, 0, 1, 4));
}

TEST_CASE("weights: another seed or name is another stream", "[weights]") {
  Tensor other = kPlain;
  other.name = "tensos";
  CHECK(values(7, kPlain, 0, 1, 8) != values(8, kPlain, 0, 1, 8));
  CHECK(values(7, kPlain, 0, 1, 8) != values(7, other, 0, 1, 8));
}

TEST_CASE("weights: are normal", "[weights]") {
  const std::size_t count = 1 << 20;
  const std::vector<float> sample = values(1, kPlain, 0, 1, count);
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  std::size_t within_one = 0, beyond_three = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = sample[i], square = value * value;
    sum += value;
    squares += square;
    fourth += square * square;
    if (i > 0) neighbours += value * static_cast<double>(sample[i - 1]);
    within_one += square < 1 ? 1 : 0;
    beyond_three += square > 9 ? 1 : 0;
  }
  const double n = static_cast<double>(count);
  CHECK(std::abs(sum / n) < 0.004);
  CHECK(squares / n == Approx(1).margin(0.006));
  CHECK(fourth / n == Approx(3).margin(0.04));
  CHECK(std::abs(neighbours / n) < 0.004);
  CHECK(static_cast<double>(within_one) / n == Approx(0.6827).margin(0.002));
  CHECK(static_cast<double>(beyond_three) / n == Approx(0.0027).margin(0.0003));
}

TEST_CASE("weights: f16 and bf16 are the f32 values, rounded", "[weights]") {
  Tensor tensor = kPlain;
  tensor.deviation = 1e-4F;  // many halves are subnormal
  const std::vector<float> exact = values(3, tensor, 5, 1, 5000);
  std::vector<std::uint16_t> half(5000), brain(5000);
  fill(3, tensor, Element::f16, 5, 1, std::as_writable_bytes(std::span(half)));
  fill(3, tensor, Element::bf16, 5, 1, std::as_writable_bytes(std::span(brain)));
  for (std::size_t i = 0; i < 5000; ++i) {
    REQUIRE(half[i] == to_f16(exact[i]));
    REQUIRE(brain[i] == to_bf16(exact[i]));
  }
}

/// What the bits of a finite half mean.
double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST_CASE("element: every half survives, and what lies between goes to the nearest, ties to even",
          "[element]") {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const double low = half_value(bits), high = half_value(next);
    REQUIRE(to_f16(static_cast<float>(low)) == bits);
    REQUIRE(to_f16(static_cast<float>(-low)) == (bits | 0x8000));
    const auto middle = static_cast<float>((low + high) / 2);
    REQUIRE(to_f16(middle) == (bits % 2 == 0 ? bits : next));
    REQUIRE(to_f16(std::nextafter(middle, 0.0F)) == bits);
    REQUIRE(to_f16(std::nextafter(middle, 1e9F)) == next);
  }
  CHECK(to_f16(65519.0F) == 0x7bff);
  CHECK(to_f16(65520.0F) == 0x7c00);
  CHECK(to_f16(1e9F) == 0x7c00);
}

TEST_CASE("element: bf16 goes to the nearest, ties to even", "[element]") {
  CHECK(to_bf16(1.0F) == 0x3f80);
  CHECK(to_bf16(-2.0F) == 0xc000);
  CHECK(to_bf16(1.00390625F) == 0x3f80);                        // a tie, down to even
  CHECK(to_bf16(1.01171875F) == 0x3f82);                        // a tie, up to even
  CHECK(to_bf16(std::nextafter(1.00390625F, 2.0F)) == 0x3f81);  // just above a tie
}

TEST_CASE("weights: the first layers of a deeper model are the shallow model's", "[weights]") {
  const ModelSpec shallow = spec_from_fields({{"family", "qwen2"}, {"layers", "2"}});
  const ModelSpec deep = spec_from_fields({{"family", "qwen2"}, {"layers", "12"}});
  std::map<std::string, Tensor> deeper;
  for (const Tensor& tensor : tensors_of(deep)) deeper.emplace(tensor.name, tensor);
  for (const Tensor& tensor : tensors_of(shallow)) {
    CAPTURE(tensor.name);
    const Tensor& other = deeper.at(tensor.name);
    CHECK(other.shape == tensor.shape);
    CHECK(values(0, tensor, 0, 1, 64) == values(0, other, 0, 1, 64));
  }
}

TEST_CASE("weights: names come in plain byte order and only what the family has", "[weights]") {
  const auto names = [](const ModelSpec& spec) {
    std::vector<std::string> result;
    for (const Tensor& tensor : tensors_of(spec)) result.push_back(tensor.name);
    return result;
  };
  const std::vector<std::string> tied = names(spec_from_fields({{"layers", "11"}, {"tied", "true"}}));
  CHECK(std::is_sorted(tied.begin(), tied.end()));
  CHECK(std::find(tied.begin(), tied.end(), "lm_head.weight") == tied.end());
  CHECK(tied.size() == 2 + 11 * 9);
  CHECK(names(spec_from_fields({{"family", "qwen2"}, {"layers", "11"}})).size() == 3 + 11 * 12);
}

}  // namespace
}  // namespace brink::synth
