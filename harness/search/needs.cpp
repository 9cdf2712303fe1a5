#include "harness/search/needs.hpp"

#include <algorithm>

#include "harness/search/confirm.hpp"
#include "harness/search/flaky.hpp"
#include "harness/search/intervals.hpp"

namespace brink {

namespace {

constexpr int kGallopsAhead = 8;  // more slots than that would pay for trials that cost 256 times as much
// Random probes that a structure of intervals must explain: two would agree with almost any.
constexpr std::size_t kDrawsOfStructure = 10;
constexpr int kMostSkippedGallops = 8;  // 256 times as far
constexpr int kMostRepeats = 1000;      // of one config
constexpr Position kSmallDomain = 8;    // of an open axis on which the first value fails

enum class End { lower, upper };

/// The next position to try at an end: the end itself, then 1, 2, 4 … steps inwards over skips. nullopt once
/// there is a verdict, or a verdict from elsewhere lies further out.
std::optional<Position> missing_end(const Scene& scene, End end) {
  const auto lowest = scene.ledger.lowest_verdict(), highest = scene.ledger.highest_verdict();
  for (Position offset = 0; offset < scene.size; offset = offset == 0 ? 1 : offset * 2) {
    const Position at = end == End::lower ? offset : scene.size - 1 - offset;
    const auto verdict = scene.ledger.verdict(at);
    if (verdict && *verdict != Verdict::skip) return std::nullopt;
    const bool outside = end == End::lower ? lowest && *lowest < at : highest && *highest > at;
    if (outside && offset > 0) return std::nullopt;
    if (!verdict) return at;
  }
  return std::nullopt;
}

/// Galloping further seems useless: nothing but other failures for as many doublings.
bool gallop_lost(const Scene& scene) {
  int skips = 0;
  for (auto it = scene.ledger.sites().rbegin(); it != scene.ledger.sites().rend(); ++it) {
    if (it->second.verdicts() > 0) break;
    if ((it->first & (it->first - 1)) == 0) ++skips;
  }
  return skips >= kMostSkippedGallops;
}

/// Powers of two above everything told, while nothing failed.
void need_gallop(const Scene& scene, Needs& needs) {
  if (scene.ledger.lowest_bad() || gallop_lost(scene)) return;
  const auto& sites = scene.ledger.sites();
  const Position top = sites.empty() ? 0 : sites.rbegin()->first;
  Position at = 1;
  while (at <= top) at *= 2;
  for (int i = 0; i < kGallopsAhead && top < scene.size - 1; ++i, at *= 2) {
    needs.add(std::min(at, scene.size - 1), 1);
    if (at >= scene.size - 1) break;
  }
}

Needs end_needs(const Scene& scene) {
  Needs needs;
  if (const auto at = missing_end(scene, End::lower)) needs.add(*at, 1);
  if (scene.open) {
    need_gallop(scene, needs);
  } else if (const auto at = missing_end(scene, End::upper); at && !needs.wants(*at)) {
    needs.add(*at, 1);
  }
  return needs;
}

Needs plain_needs(const Scene& scene, int ahead) {
  Needs needs;
  if (!scene.ledger.lowest_verdict()) return needs;
  const Bracket bracket = plain_bracket(scene);
  if (bracket.below >= 0 && scene.ledger.skips_between(bracket.below, bracket.above)) {
    // With other failures in between, neither confidence nor holes would make it an answer.
    need_side(scene.ledger, bracket.below, needs);
    if (bracket.above < scene.size) need_side(scene.ledger, bracket.above, needs);
    return needs;
  }
  need_confirmation(scene, bracket, ahead, needs);
  need_signature_borders(scene.ledger, needs);
  need_holes(scene, needs);
  if (scene.options.holes.kind == HolePolicy::Kind::off || !scene.ledger.cheap()) return needs;
  for (const Position at : near_probes(scene.draws, bracket, hole_domain(scene)))
    if (!scene.ledger.find(at) && !needs.wants(at)) needs.add(at, 1);
  return needs;
}

Needs next_needs(const Scene& scene, const InFlight& in_flight, int slots) {
  if (scene.stopped) return {};
  const Ledger& ledger = scene.ledger;
  int ahead = slots;
  for (const auto& [at, times] : in_flight) ahead += times;
  Needs needs = end_needs(scene);
  if (ledger.disagreement()) return needs.finished() ? flaky_needs(scene, in_flight, slots) : needs;
  if (ledger.violation()) return needs.finished() ? alternating_needs(scene) : needs;
  Bracket bracket = plain_bracket(scene);
  const bool galloping = scene.open && !ledger.lowest_bad();
  // Beyond the last gallop there is nothing to split.
  if (galloping && !ledger.empty()) bracket.above = ledger.sites().rbegin()->first + 1;
  if (!(galloping && !needs.finished()) && !closed(ledger, bracket)) needs.brackets.push_back(bracket);
  return needs.finished() ? plain_needs(scene, ahead) : needs;
}

}  // namespace

bool Needs::wants(Position at) const {
  return std::any_of(sites.begin(), sites.end(), [&](const Times& site) { return site.at == at; });
}

void Needs::add(Position at, int times, int least) {
  for (Times& site : sites)
    if (site.at == at) {
      site.times += times;
      return;
    }
  sites.push_back({at, least + times});
}

Bracket plain_bracket(const Scene& scene) {
  return {scene.ledger.highest_good().value_or(-1), scene.ledger.lowest_bad().value_or(scene.size)};
}

Position hole_domain(const Scene& scene) {
  if (!scene.open) return scene.size;
  const auto highest = scene.ledger.highest_verdict();
  return std::min(scene.size, std::max(kSmallDomain, highest.value_or(0) + 1));
}

HoleSample hole_sample(const Scene& scene) {
  std::size_t target = hole_target(scene.options.holes, scene.ledger);
  if (target > 0 && scene.ledger.violation()) target = std::max(target, kDrawsOfStructure);
  return hole_sample(scene.draws, hole_domain(scene), target, scene.ledger);
}

void need_holes(const Scene& scene, Needs& needs) {
  for (const Position at : hole_sample(scene).positions) {
    const Site* site = scene.ledger.find(at);
    if ((!site || site->ours() == 0) && !needs.wants(at)) needs.add(at, 1);
  }
}

Needs needs_of(const Scene& scene, const InFlight& in_flight, int slots) {
  Needs needs = next_needs(scene, in_flight, slots);
  std::erase_if(needs.sites, [&](const Needs::Times& wanted) {
    const Site* site = scene.ledger.find(wanted.at);
    return site && (site->skip >= kMostSkips || site->verdicts() >= kMostRepeats);
  });
  return needs;
}

}  // namespace brink
