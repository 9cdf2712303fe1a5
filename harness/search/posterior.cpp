#include "harness/search/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace brink {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int kBadRates = 24;   // midpoints of P(fails | bad) in (0,1)
constexpr int kGoodRates = 16;  // midpoints of P(fails | good) in (0,1/2)

/// Verdicts below a candidate T, and at or above it.
struct Sides {
  int good_below = 0, bad_below = 0, good_above = 0, bad_above = 0;
};

/// log likelihood of the trials, and the rates that they suggest.
struct Explained {
  double log_weight = kNever, bad_fails = 1, good_fails = 0;
};

double log_factorial(int n) {
  static const std::array<double, 512> table = [] {
    std::array<double, 512> sums{};
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] = sums[i - 1] + std::log(static_cast<double>(i));
    return sums;
  }();
  const auto index = static_cast<std::size_t>(n);
  return index < table.size() ? table[index] : std::lgamma(n + 1.0);
}

Explained explain_one_sided(const Sides& sides) {
  if (sides.bad_below > 0) return {};
  const double flaky = std::exp(log_flake(sides.bad_above, sides.good_above));
  const double flaky_fails = std::exp(log_flake(sides.bad_above + 1, sides.good_above));
  if (sides.good_above == 0)
    return {std::log(0.5 + 0.5 * flaky), (0.5 + 0.5 * flaky_fails) / (0.5 + 0.5 * flaky), 0};
  const double mean = (sides.bad_above + 1.0) / (sides.bad_above + sides.good_above + 2.0);
  return {std::log(0.5) + log_flake(sides.bad_above, sides.good_above), mean, 0};
}

/// Powers of the good rates on the grid, summed from the lowest rate up, over a common factor exp(scale).
struct GoodSums {
  std::array<double, kGoodRates + 1> weight{}, weighted_rate{};
  double scale = 0;
};

double good_rate(int index) { return (index + 0.5) / (2.0 * kGoodRates); }

/// log of a rate and of its complement, for each midpoint of a grid of `steps` over (0, width).
template <std::size_t steps>
struct LogRates {
  std::array<double, steps> log{}, log_rest{};
  explicit LogRates(double width) {
    for (std::size_t i = 0; i < steps; ++i) {
      const double rate = width * (static_cast<double>(i) + 0.5) / static_cast<double>(steps);
      log[i] = std::log(rate);
      log_rest[i] = std::log1p(-rate);
    }
  }
};

GoodSums good_sums(int bad, int good) {
  GoodSums sums;
  std::array<double, kGoodRates> logs{};
  static const LogRates<kGoodRates> rates(0.5);
  for (std::size_t j = 0; j < kGoodRates; ++j) logs[j] = bad * rates.log[j] + good * rates.log_rest[j];
  sums.scale = *std::max_element(logs.begin(), logs.end());
  for (int j = 0; j < kGoodRates; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double weight = std::exp(logs[at] - sums.scale);
    sums.weight[at + 1] = sums.weight[at] + weight;
    sums.weighted_rate[at + 1] = sums.weighted_rate[at] + weight * good_rate(j);
  }
  return sums;
}

/// Sums over the fixed grid of both rates; the last bad rate is the point mass at 1.
Explained explain_two_sided(const Sides& sides) {
  const GoodSums below = good_sums(sides.bad_below, sides.good_below);
  static const LogRates<kBadRates> rates(1);
  std::array<double, kBadRates + 1> logs{};
  for (std::size_t i = 0; i < kBadRates; ++i)
    logs[i] =
        std::log(0.5 / kBadRates) + sides.bad_above * rates.log[i] + sides.good_above * rates.log_rest[i];
  logs[kBadRates] = sides.good_above > 0 ? kNever : std::log(0.5);
  const double scale = *std::max_element(logs.begin(), logs.end());
  double total = 0, bad_fails = 0, good_fails = 0;
  for (int i = 0; i <= kBadRates; ++i) {
    const double rate = i == kBadRates ? 1.0 : (i + 0.5) / kBadRates;
    const int allowed = std::clamp(static_cast<int>(std::ceil(rate * 2 * kGoodRates - 0.5)), 1, kGoodRates);
    const auto upto = static_cast<std::size_t>(allowed);
    const double outer = std::exp(logs[static_cast<std::size_t>(i)] - scale) / allowed;
    total += outer * below.weight[upto];
    bad_fails += outer * below.weight[upto] * rate;
    good_fails += outer * below.weighted_rate[upto];
  }
  return {std::log(total) + scale + below.scale, bad_fails / total, good_fails / total};
}

double entropy(double p) {
  if (p <= 0 || p >= 1) return 0;
  return -(p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

}  // namespace

double log_flake(int bad, int good) {
  return log_factorial(bad) + log_factorial(good) - log_factorial(bad + good + 1);
}

std::vector<Count> counts_of(const Ledger& ledger) {
  std::vector<Count> counts;
  for (const auto& [at, site] : ledger.sites())
    if (site.verdicts() > 0) counts.push_back({at, site.good, site.bad});
  return counts;
}

void add_count(std::vector<Count>& counts, Position at, Verdict verdict) {
  auto place = std::lower_bound(counts.begin(), counts.end(), at,
                                [](const Count& count, Position position) { return count.at < position; });
  if (place == counts.end() || place->at != at) place = counts.insert(place, Count{at, 0, 0});
  ++(verdict == Verdict::bad ? place->bad : place->good);
}

Posterior::Posterior(const std::vector<Count>& counts, Position size, bool false_bad) {
  Sides sides;
  for (const Count& count : counts) {
    sides.good_above += count.good;
    sides.bad_above += count.bad;
  }
  // While nothing failed there is no false failure to explain. With a good rate that may be as small as any
  // bad rate, "none fails" could never be told from "fails rarely".
  const bool two_sided = false_bad && sides.bad_above > 0;
  double scale = kNever;
  Position below = -1;
  const auto add = [&](Position last, double values) {
    const Explained found = two_sided ? explain_two_sided(sides) : explain_one_sided(sides);
    const double log_mass = found.log_weight + std::log(values);
    scale = std::max(scale, log_mass);
    stretches_.push_back({below, last, log_mass, found.bad_fails, found.good_fails});
    below = last;
  };
  for (const Count& count : counts) {
    add(count.at, static_cast<double>(count.at - below));
    sides.good_above -= count.good;
    sides.bad_above -= count.bad;
    sides.good_below += count.good;
    sides.bad_below += count.bad;
  }
  if (below < size - 1) add(size - 1, static_cast<double>(size - 1 - below));
  add(size, static_cast<double>(size));
  double total = 0;
  for (Stretch& stretch : stretches_) total += stretch.mass = std::exp(stretch.mass - scale);
  for (Stretch& stretch : stretches_) stretch.mass /= total;
}

double Posterior::mass(Position below, Position last) const {
  double mass = 0;
  for (const Stretch& stretch : stretches_) {
    const Position from = std::max(below, stretch.below), to = std::min(last, stretch.last);
    if (from < to)
      mass +=
          stretch.mass * static_cast<double>(to - from) / static_cast<double>(stretch.last - stretch.below);
  }
  return std::min(mass, 1.0);
}

const Posterior::Stretch& Posterior::likeliest() const {
  return *std::max_element(stretches_.begin(), stretches_.end(),
                           [](const Stretch& a, const Stretch& b) { return a.mass < b.mass; });
}

std::vector<double> Posterior::gains(const std::vector<Position>& candidates) const {
  // A trial at x fails at the bad rate for each T <= x and at the good rate for each T > x; running sums over
  // the stretches make each candidate cost O(log) instead of a pass.
  std::vector<double> fails_bad{0}, noise_bad{0}, fails_good{0}, noise_good{0};
  for (const Stretch& s : stretches_) {
    fails_bad.push_back(fails_bad.back() + s.mass * s.bad_fails);
    noise_bad.push_back(noise_bad.back() + s.mass * entropy(s.bad_fails));
    fails_good.push_back(fails_good.back() + s.mass * s.good_fails);
    noise_good.push_back(noise_good.back() + s.mass * entropy(s.good_fails));
  }
  std::vector<double> gains;
  for (const Position x : candidates) {
    const auto found = std::lower_bound(stretches_.begin(), stretches_.end(), x,
                                        [](const Stretch& s, Position at) { return s.last < at; });
    const auto i = static_cast<std::size_t>(found - stretches_.begin());
    const Stretch& s = *found;
    const double in = s.mass * static_cast<double>(x - s.below) / static_cast<double>(s.last - s.below);
    const double out = s.mass - in;
    const double fails =
        fails_bad[i] + in * s.bad_fails + out * s.good_fails + fails_good.back() - fails_good[i + 1];
    const double noise = noise_bad[i] + in * entropy(s.bad_fails) + out * entropy(s.good_fails) +
                         noise_good.back() - noise_good[i + 1];
    gains.push_back(entropy(fails) - noise);
  }
  return gains;
}

}  // namespace brink
