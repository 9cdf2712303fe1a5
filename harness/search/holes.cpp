#include "harness/search/holes.hpp"

#include <algorithm>
#include <cmath>

namespace brink {

namespace {

constexpr double kDoubt = 0.05;  // 1 - the confidence of what the probes exclude
constexpr double kBudget_s = 10;
constexpr std::size_t kFewest = 2, kMost = 30, kMostAsked = 100'000;
constexpr std::uint64_t kNearEach = 3;
constexpr std::uint64_t kStride = 0x9e3779b97f4a7c15u;

std::uint64_t digest(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 14695981039346656037u ^ seed;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::uint64_t scramble(std::uint64_t z) {  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

HoleDraws::HoleDraws(std::uint64_t seed, std::string_view axis) : start_(digest(seed, axis)) {}

std::uint64_t HoleDraws::next() const { return scramble(state_ += kStride); }

Position HoleDraws::distance(Position width, std::uint64_t nth) const {
  const std::uint64_t random = scramble(start_ + (2 * nth + 1) * kStride);
  const Position least = Position{1} << (random % static_cast<std::uint64_t>(bits_of(width)));
  const Position more = static_cast<Position>(scramble(random + kStride)) % least;
  return std::min(least + more, width);
}

const std::vector<Position>& HoleDraws::order(Position domain, std::size_t count) const {
  if (domain != domain_) {
    domain_ = domain;
    state_ = start_;
    drawn_.clear();
    seen_.clear();
  }
  if (static_cast<Position>(count) > domain) count = static_cast<std::size_t>(domain);
  while (drawn_.size() < count) {
    // A collision moves up to the next position that is free, so that the last draws of a small axis end.
    const Position wide = (static_cast<Position>(next() >> 2) << 64) | static_cast<Position>(next());
    Position at = wide % domain;
    while (!seen_.insert(at).second) at = (at + 1) % domain;
    drawn_.push_back(at);
  }
  return drawn_;
}

std::size_t hole_target(const HolePolicy& policy, const Ledger& ledger) {
  switch (policy.kind) {
    case HolePolicy::Kind::off:
      return 0;
    case HolePolicy::Kind::share: {
      const double wanted = std::ceil(std::log(kDoubt) / std::log1p(-policy.share) - 1e-9);
      return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(kMostAsked)));
    }
    case HolePolicy::Kind::automatic:
      break;
  }
  const auto mean = ledger.mean_cost();
  if (!mean) return kFewest;
  if (*mean * kMost <= kBudget_s) return kMost;
  return std::max(kFewest, static_cast<std::size_t>(kBudget_s / *mean));
}

HoleSample hole_sample(const HoleDraws& draws, Position domain, std::size_t target, const Ledger& ledger) {
  HoleSample sample;
  if (target == 0) return sample;
  const std::size_t most = 2 * target + 8;
  std::size_t drawn = 0;
  for (; drawn < most && sample.positions.size() < target; ++drawn) {
    const auto& order = draws.order(domain, drawn + 1);
    if (drawn >= order.size()) break;
    if (ledger.verdict(order[drawn]) != Verdict::skip) sample.positions.push_back(order[drawn]);
  }
  sample.whole_axis = static_cast<Position>(drawn) >= domain;
  return sample;
}

std::vector<Position> near_probes(const HoleDraws& draws, const Bracket& bracket, Position domain) {
  std::vector<Position> probes;
  for (std::uint64_t i = 0; i < kNearEach; ++i) {
    if (bracket.below > 0) probes.push_back(bracket.below - draws.distance(bracket.below, 2 * i));
    const Position width = domain - 1 - bracket.above;
    if (width > 0) probes.push_back(bracket.above + draws.distance(width, 2 * i + 1));
  }
  return probes;
}

Holes holes_seen(const HoleSample& sample, const Ledger& ledger, Position last_good, Position first_bad) {
  Holes holes;
  holes.confidence = 1 - kDoubt;
  bool all = sample.whole_axis;
  for (const Position at : sample.positions) {
    const Site* site = ledger.find(at);
    if (!site || site->ours() == 0) {
      all = false;
      continue;
    }
    ++holes.tried;
    const Verdict verdict = ledger.verdict(*site);
    if ((verdict == Verdict::good && at > first_bad) || (verdict == Verdict::bad && at < last_good))
      ++holes.found;
  }
  if (holes.tried > 0) holes.excluded_share = all ? 0.0 : 1 - std::pow(kDoubt, 1.0 / holes.tried);
  return holes;
}

}  // namespace brink
