#pragma once

#include <vector>

#include "harness/search/ledger.hpp"

namespace brink {

/// Trials with a verdict at one position.
struct Count {
  Position at = 0;
  int good = 0, bad = 0;
};

/// Sorted by position; positions with skips only are left out.
std::vector<Count> counts_of(const Ledger& ledger);
/// Adds one more verdict, told or imagined.
void add_count(std::vector<Count>& counts, Position at, Verdict verdict);

/// The joint posterior of CONTRACT 6 over the first bad position T and the rates at which configs fail.
///
/// Prior: T uniform over the grid, and "none". "none" has as much weight as the whole grid together: with
/// the weight of one position, no number of good trials that anyone can pay for would ever show that nothing
/// fails. As soon as one trial failed it no longer matters. P(fails | bad) is 1 with weight 1/2, else uniform
/// on (0,1); P(fails | good) is 0, or with false_bad, once anything failed, uniform on (0,1/2) below the
/// former.
///
/// All T between two neighbouring told positions explain the trials equally well, so the weights are kept per
/// stretch and an axis may have 2^64 values.
class Posterior {
 public:
  struct Stretch {
    Position below = 0, last = 0;  ///< T in (below, last]
    double mass = 0;               ///< probability
    double bad_fails = 1;          ///< expected P(fails | bad), given T here
    double good_fails = 0;         ///< expected P(fails | good), given T here
  };

  /// `size` values on the axis; T == size means that none fails.
  Posterior(const std::vector<Count>& counts, Position size, bool false_bad);

  /// P(below < T <= last); last == size includes "none".
  double mass(Position below, Position last) const;
  /// In order; the last is "none".
  const std::vector<Stretch>& stretches() const { return stretches_; }
  /// The stretch with the most mass.
  const Stretch& likeliest() const;
  /// What a trial at each candidate would tell about T, in bits.
  std::vector<double> gains(const std::vector<Position>& candidates) const;

 private:
  std::vector<Stretch> stretches_;
};

/// log of the Beta function for whole arguments: log of the integral of q^bad (1-q)^good over (0,1).
double log_flake(int bad, int good);

}  // namespace brink
