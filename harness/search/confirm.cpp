#include "harness/search/confirm.hpp"

#include <algorithm>

#include "harness/search/posterior.hpp"

namespace brink {

namespace {

constexpr int kMostRepeats = 1000;  // at one position

int side_trials(const Ledger& ledger) { return ledger.cheap() ? 3 : 2; }

/// The verdict that the answer (bracket) predicts.
Verdict predicted(const Bracket& bracket, Position at) {
  return at >= bracket.above ? Verdict::bad : Verdict::good;
}

int verdicts_at(const Ledger& ledger, Position at) {
  const Site* site = ledger.find(at);
  return site ? site->verdicts() : 0;
}

}  // namespace

bool confirmed_side(const Ledger& ledger, Position at) {
  const Site* site = ledger.find(at);
  return site && site->verdicts() >= side_trials(ledger) && site->ours() >= 1;
}

void need_side(const Ledger& ledger, Position at, Needs& needs) {
  if (confirmed_side(ledger, at)) return;
  const Site* site = ledger.find(at);
  const int missing =
      site ? std::max(side_trials(ledger) - site->verdicts(), 1 - site->ours()) : side_trials(ledger);
  needs.add(at, missing);
}

double bracket_confidence(const Scene& scene, const Bracket& bracket) {
  return Posterior(counts_of(scene.ledger), scene.size, scene.options.false_bad)
      .mass(bracket.below, bracket.above);
}

void need_confirmation(const Scene& scene, const Bracket& bracket, int ahead, Needs& needs) {
  std::vector<Position> sides;
  if (bracket.below >= 0) sides.push_back(bracket.below);
  if (bracket.above < scene.size) sides.push_back(bracket.above);
  for (const Position at : sides) need_side(scene.ledger, at, needs);

  std::vector<Count> counts = counts_of(scene.ledger);
  for (const Needs::Times& site : needs.sites)
    for (int i = 0; i < site.times; ++i) add_count(counts, site.at, predicted(bracket, site.at));
  for (const Position at : hole_sample(scene).positions)
    if (!scene.ledger.verdict(at)) add_count(counts, at, predicted(bracket, at));
  const auto confidence_with = [&](std::optional<Position> extra) {
    std::vector<Count> more = counts;
    if (extra) add_count(more, *extra, predicted(bracket, *extra));
    return Posterior(more, scene.size, scene.options.false_bad).mass(bracket.below, bracket.above);
  };
  double confidence = confidence_with(std::nullopt);
  for (int i = 0; i < ahead && confidence < scene.options.confidence; ++i) {
    std::optional<Position> best;
    double highest = 0;
    for (const Position at : sides) {
      const double reached = confidence_with(at);
      if (reached <= highest || verdicts_at(scene.ledger, at) >= kMostRepeats) continue;
      highest = reached;
      best = at;
    }
    if (!best) return;
    add_count(counts, *best, predicted(bracket, *best));
    confidence = highest;
    needs.add(*best, 1);
  }
}

}  // namespace brink
