#include "harness/search/flaky.hpp"

#include <algorithm>

namespace brink {

namespace {

constexpr double kNegligible = 1e-6;

/// Told positions, and the middle of each stretch in which the threshold may still be.
std::vector<Position> candidates_of(const Ledger& ledger, const Posterior& posterior) {
  std::vector<Position> candidates;
  for (const Posterior::Stretch& stretch : posterior.stretches()) {
    if (stretch.mass > kNegligible)
      for (const Position at : split(ledger, {stretch.below, stretch.last}, {}, 1)) candidates.push_back(at);
    if (const auto verdict = ledger.verdict(stretch.last); verdict && *verdict != Verdict::skip)
      candidates.push_back(stretch.last);
  }
  return candidates;
}

}  // namespace

int most_flaky_trials(const Scene& scene) { return 32 + 8 * bits_of(hole_domain(scene)); }

Estimate flaky_estimate(const Scene& scene) {
  const Posterior posterior(counts_of(scene.ledger), scene.size, scene.options.false_bad);
  const Posterior::Stretch& best = posterior.likeliest();
  return {{best.below, best.last}, best.mass};
}

Needs flaky_needs(const Scene& scene, const InFlight& in_flight, int slots) {
  Needs needs;
  needs.any_counts = true;
  const Ledger& ledger = scene.ledger;
  if (ledger.trials() >= most_flaky_trials(scene)) return needs;
  const Estimate estimate = flaky_estimate(scene);
  if (estimate.confidence >= scene.options.confidence && closed(ledger, estimate.bracket)) return needs;
  std::vector<Count> counts = counts_of(ledger);
  const auto imagine = [&](Position at) {
    add_count(counts, at, at >= estimate.bracket.above ? Verdict::bad : Verdict::good);
  };
  for (const auto& [at, times] : in_flight)
    for (int i = 0; i < times; ++i) imagine(at);
  for (int i = 0; i < slots; ++i) {
    const Posterior posterior(counts, scene.size, scene.options.false_bad);
    const std::vector<Position> candidates = candidates_of(ledger, posterior);
    if (candidates.empty()) break;
    const std::vector<double> gains = posterior.gains(candidates);
    const auto best = std::max_element(gains.begin(), gains.end());
    if (*best < kNegligible) break;
    const Position at = candidates[static_cast<std::size_t>(best - gains.begin())];
    imagine(at);
    const auto running = in_flight.find(at);
    needs.add(at, 1, running == in_flight.end() ? 0 : running->second);
  }
  return needs;
}

}  // namespace brink
