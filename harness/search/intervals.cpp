#include "harness/search/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "harness/search/confirm.hpp"
#include "harness/search/posterior.hpp"

namespace brink {

namespace {

constexpr int kHoleRepeats = 3;
// A hole is a stranger thing than a flake: it must be this many times likelier to be believed.
constexpr double kHoleOdds = 10;

struct Border {
  Bracket bracket;
  Verdict below = Verdict::good;
};

std::vector<Border> borders_of(const std::vector<Run>& runs) {
  std::vector<Border> borders;
  for (std::size_t i = 1; i < runs.size(); ++i)
    borders.push_back({{runs[i - 1].last, runs[i].first}, runs[i - 1].verdict});
  return borders;
}

int bads_of(const std::vector<Run>& runs) {
  int bads = 0;
  for (const Run& run : runs) bads += run.bad;
  return bads;
}

/// Trials at the position of a run that has the most of them.
std::pair<Position, int> most_tried(const Ledger& ledger, const Run& run) {
  std::pair<Position, int> most{run.first, 0};
  const auto& sites = ledger.sites();
  for (auto it = sites.lower_bound(run.first); it != sites.end() && it->first <= run.last; ++it)
    if (it->second.verdicts() > most.second) most = {it->first, it->second.verdicts()};
  return most;
}

/// How likely this many passes are flakes of configs that otherwise failed every time.
double flake_doubt(int bad, int good) { return std::exp(log_flake(bad, good)); }

struct Doubt {
  double total = 0, largest = 0;
  Position worst = 0;
  void add(double doubt, Position at) {
    total += doubt;
    if (doubt <= largest) return;
    largest = doubt;
    worst = at;
  }
};

Doubt doubts_of(const Ledger& ledger, const std::vector<Run>& runs) {
  Doubt doubt;
  const int bads = bads_of(runs);
  for (const Border& border : borders_of(runs)) {
    const Position at = border.below == Verdict::good ? border.bracket.below : border.bracket.above;
    const Site* site = ledger.find(at);
    doubt.add(flake_doubt(bads, site ? site->good : 0), at);
  }
  bool after_bad = false;
  for (const Run& run : runs) {
    if (run.verdict == Verdict::good && after_bad)
      doubt.add(kHoleOdds * flake_doubt(bads, run.good), most_tried(ledger, run).first);
    after_bad = after_bad || run.verdict == Verdict::bad;
  }
  return doubt;
}

/// A pass above a failure is repeated first: if it was a flake, nothing else about it matters.
void need_settled(const Ledger& ledger, const std::vector<Run>& runs, Needs& needs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool hole = runs[i].verdict == Verdict::good && i > 0;
    const bool before_hole = runs[i].verdict == Verdict::bad && i + 1 < runs.size();
    if (!hole && !before_hole) continue;
    const auto [at, tries] = most_tried(ledger, runs[i]);
    const int wanted = hole ? kHoleRepeats : 2;
    if (tries < wanted) needs.add(at, wanted - tries);
  }
}

void extend(Run& run, Position at, const Site& site) {
  run.last = at;
  run.good += site.good;
  run.bad += site.bad;
  if (site.ours() > 0) ++run.probed;
}

}  // namespace

std::vector<Run> runs_of(const Ledger& ledger, bool by_signature) {
  std::vector<Run> runs;
  for (const auto& [at, site] : ledger.sites()) {
    if (site.verdicts() == 0) continue;
    const Verdict verdict = ledger.verdict(site);
    const bool identified = verdict == Verdict::bad && site.ours() > 0;
    const bool differs = by_signature && !runs.empty() && identified && runs.back().identified &&
                         runs.back().signature != site.signature;
    if (runs.empty() || runs.back().verdict != verdict || differs) {
      runs.emplace_back();
      runs.back().first = at;
      runs.back().verdict = verdict;
    }
    Run& run = runs.back();
    if (identified && !run.identified) {
      run.identified = true;
      run.signature = site.signature;
      run.failure_class = site.failure_class;
    }
    extend(run, at, site);
  }
  return runs;
}

std::vector<Bracket> signature_borders(const Ledger& ledger) {
  std::vector<Bracket> borders;
  const std::vector<Run> runs = runs_of(ledger, true);
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i - 1].verdict == Verdict::bad && runs[i].verdict == Verdict::bad)
      borders.push_back({runs[i - 1].last, runs[i].first});
  return borders;
}

void need_signature_borders(const Ledger& ledger, Needs& needs) {
  const auto borders = signature_borders(ledger);
  if (borders.size() > kMostSignatureBorders) return;
  for (const Bracket& border : borders)
    if (!closed(ledger, border)) needs.brackets.push_back(border);
}

Needs alternating_needs(const Scene& scene) {
  Needs needs;
  const Ledger& ledger = scene.ledger;
  const std::vector<Run> runs = runs_of(ledger, false);
  if (runs.size() > kMostIntervals) return needs;
  need_settled(ledger, runs, needs);
  if (!needs.finished()) return needs;
  for (const Border& border : borders_of(runs))
    if (!closed(ledger, border.bracket)) needs.brackets.push_back(border.bracket);
  if (!needs.finished()) return needs;
  for (const Border& border : borders_of(runs)) {
    need_side(ledger, border.bracket.below, needs);
    need_side(ledger, border.bracket.above, needs);
  }
  need_holes(scene, needs);
  if (needs.finished()) {
    const Doubt doubt = doubts_of(ledger, runs);
    if (1 - doubt.total < scene.options.confidence) needs.add(doubt.worst, 1);
  }
  need_signature_borders(ledger, needs);
  return needs;
}

double structure_doubt(const Ledger& ledger) {
  return std::min(1.0, doubts_of(ledger, runs_of(ledger, false)).total);
}

bool structure_confirmed(const Ledger& ledger, double confidence) {
  const std::vector<Run> runs = runs_of(ledger, false);
  if (runs.size() > kMostIntervals) return false;
  for (const Border& border : borders_of(runs)) {
    const Bracket& bracket = border.bracket;
    if (bracket.above - bracket.below != 1) return false;
    if (!confirmed_side(ledger, bracket.below) || !confirmed_side(ledger, bracket.above)) return false;
  }
  Needs unsettled;
  need_settled(ledger, runs, unsettled);
  return unsettled.finished() && 1 - structure_doubt(ledger) >= confidence;
}

}  // namespace brink
