#pragma once

#include <vector>

#include "harness/search/bracket.hpp"
#include "harness/search/holes.hpp"
#include "harness/search/ledger.hpp"

namespace brink {

/// What decides the next step of a threshold search; nothing else does.
struct Scene {
  const Ledger& ledger;
  const SearchOptions& options;
  const HoleDraws& draws;
  Position size = 0;
  bool open = false;
  bool stopped = false;  ///< an open axis became too expensive
};

/// Trials that are worth making now, the most useful first.
struct Needs {
  struct Times {
    Position at = 0;
    int times = 1;  ///< more trials wanted there, those in flight included
  };
  std::vector<Times> sites;
  std::vector<Bracket> brackets;  ///< to be split with the slots that remain
  bool any_counts = false;        ///< whatever is in flight is evidence worth waiting for

  bool finished() const { return sites.empty() && brackets.empty(); }
  bool wants(Position at) const;
  /// `times` more trials at a position; `least` is what a first mention of it starts from.
  void add(Position at, int times, int least = 0);
};

/// A config that ended in another failure this often is not tried again, whatever it said before.
inline constexpr int kMostSkips = 3;

/// The order of a search: both ends, the bracket, then confirmation, borders of signatures and random probes
/// together. Disagreement and violation lead to flaky.hpp and intervals.hpp instead.
Needs needs_of(const Scene& scene, const InFlight& in_flight, int slots);

/// Highest good below every bad (-1: none) and lowest bad (size: none), while nothing contradicts that.
Bracket plain_bracket(const Scene& scene);
/// Positions that random probes are drawn from: the axis, or the part of an open one that was reached.
Position hole_domain(const Scene& scene);
HoleSample hole_sample(const Scene& scene);
void need_holes(const Scene& scene, Needs& needs);

}  // namespace brink
