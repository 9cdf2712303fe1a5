#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "harness/search/bracket.hpp"
#include "harness/search/ledger.hpp"

namespace brink {

/// A random order of an axis's positions, without repeats; the same for the same seed and axis.
class HoleDraws {
 public:
  HoleDraws(std::uint64_t seed, std::string_view axis);

  /// The first `count` (or all) of the positions 0 .. domain-1 in random order.
  const std::vector<Position>& order(Position domain, std::size_t count) const;
  /// The nth of the distances from a border, 1 .. width (at least 1), every order of magnitude alike.
  Position distance(Position width, std::uint64_t nth) const;

 private:
  std::uint64_t next() const;

  std::uint64_t start_;
  mutable std::uint64_t state_ = 0;
  mutable Position domain_ = 0;
  mutable std::vector<Position> drawn_;
  mutable std::set<Position> seen_;
};

/// How many random probes the policy asks for after these trials.
std::size_t hole_target(const HolePolicy& policy, const Ledger& ledger);

/// The random probes of an axis: told or still to be made. A draw that hit a skip is replaced by the next.
struct HoleSample {
  std::vector<Position> positions;
  bool whole_axis = false;  ///< every position was drawn
};
HoleSample hole_sample(const HoleDraws& draws, Position domain, std::size_t target, const Ledger& ledger);

/// Further probes on each side of a bracket, the closer the denser: where a threshold is no clean step (a
/// flaky edge, a pattern like powers of two), the values that contradict it crowd around it, and a uniform
/// draw over a wide axis misses them. Only where trials are cheap; they never count in the share that is
/// excluded.
std::vector<Position> near_probes(const HoleDraws& draws, const Bracket& bracket, Position domain);

/// What the sample has shown so far; verdicts against (last good, first bad) are found ones.
Holes holes_seen(const HoleSample& sample, const Ledger& ledger, Position last_good, Position first_bad);

}  // namespace brink
