#include "harness/search/posterior.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace brink;

namespace {

/// The model of the contract by brute force: every T, a fine grid of q.
double brute_force(const std::vector<Count>& counts, int size, int below, int last) {
  double wanted = 0, total = 0;
  constexpr int kSteps = 2000;
  for (int t = 0; t <= size; ++t) {
    double weight = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double q = i == kSteps ? 1.0 : (i + 0.5) / kSteps;
      double likelihood = i == kSteps ? 0.5 : 0.5 / kSteps;
      for (const Count& count : counts)
        likelihood *= count.at >= t ? std::pow(q, count.bad) * std::pow(1 - q, count.good)
                                    : (count.bad > 0 ? 0.0 : 1.0);
      weight += likelihood;
    }
    if (t == size) weight *= size;
    total += weight;
    if (below < t && t <= last) wanted += weight;
  }
  return wanted / total;
}

}  // namespace

TEST_CASE("posterior: equals the model summed value by value", "[search]") {
  const std::vector<std::vector<Count>> worlds{
      {},
      {{0, 1, 0}, {19, 0, 1}},
      {{0, 1, 0}, {9, 2, 0}, {10, 0, 2}, {19, 0, 1}},
      {{0, 1, 0}, {9, 1, 0}, {10, 0, 3}, {14, 2, 1}, {19, 0, 1}},
      {{19, 5, 0}},
  };
  for (const auto& counts : worlds) {
    const Posterior posterior(counts, 20, false);
    for (int last = 0; last <= 20; ++last)
      CHECK(posterior.mass(last - 3, last) == Approx(brute_force(counts, 20, last - 3, last)).epsilon(1e-4));
  }
}

TEST_CASE("posterior: the two-sided model approaches certainty and never before the trials allow it",
          "[search]") {
  std::vector<Count> counts{{0, 1, 0}, {9, 1, 0}, {10, 0, 1}, {19, 0, 1}};
  const double few = Posterior(counts, 20, true).mass(9, 10);
  CHECK(few < 0.8);
  counts = {{0, 8, 0}, {9, 8, 0}, {10, 0, 8}, {19, 0, 8}};
  CHECK(Posterior(counts, 20, true).mass(9, 10) > 0.95);
  counts = {{0, 8, 0}, {9, 7, 1}, {10, 1, 7}, {19, 0, 8}};
  const Posterior noisy(counts, 20, true);
  CHECK(noisy.likeliest().last == 10);
  CHECK(noisy.likeliest().good_fails > 0.05);
  CHECK(noisy.likeliest().bad_fails < 0.99);
}

TEST_CASE("posterior: a trial tells most in the middle of an open bracket", "[search]") {
  const std::vector<Count> counts{{0, 1, 0}, {99, 0, 4}};
  const Posterior posterior(counts, 100, false);
  const std::vector<double> gains = posterior.gains({0, 10, 50, 90, 99});
  CHECK(gains[2] > gains[1]);
  CHECK(gains[2] > gains[3]);
  CHECK(gains[1] > gains[0]);
  CHECK(gains[4] >= -1e-12);
}
