#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/axis.hpp"
#include "harness/search/search.hpp"

namespace brink {

/// All trials told at one position.
struct Site {
  int good = 0, bad = 0, skip = 0;
  int known = 0;              ///< of good + bad: came from --known
  std::string signature;      ///< of the first bad trial that was ours
  std::string failure_class;  ///< of that trial, or of the first skip
  std::string skip_class;
  bool signatures_differ = false;

  int verdicts() const { return good + bad; }
  int ours() const { return good + bad - known; }
  bool disagrees() const { return good > 0 && bad > 0; }
  /// A good config never fails, so one failure is proof; where goods may fail too, the majority counts.
  Verdict verdict(bool false_bad) const;
};

/// What was told, by position. Skips are kept, but are no evidence.
class Ledger {
 public:
  explicit Ledger(bool false_bad) : false_bad_(false_bad) {}

  void add(Position at, const Told& told);

  const std::map<Position, Site>& sites() const { return sites_; }
  const Site* find(Position at) const;
  /// nullopt: nothing told there.
  std::optional<Verdict> verdict(Position at) const;
  Verdict verdict(const Site& site) const { return site.verdict(false_bad_); }
  bool empty() const { return sites_.empty(); }
  /// Lowest and highest position with a good or bad verdict.
  std::optional<Position> lowest_verdict() const;
  std::optional<Position> highest_verdict() const;
  std::optional<Position> highest_good() const;
  std::optional<Position> lowest_bad() const;
  bool disagreement() const { return disagreements_ > 0; }
  /// A good above a bad.
  bool violation() const;
  int trials() const { return trials_; }
  bool skips_between(Position below, Position above) const;

  /// Seconds; nullopt while no cost is known.
  std::optional<double> mean_cost() const;
  std::optional<double> median_cost() const;
  /// So little, on average, that a few trials more are no loss.
  bool cheap() const;
  int costs() const { return static_cast<int>(costs_.size()); }

 private:
  std::map<Position, Site> sites_;
  std::vector<double> costs_;
  bool false_bad_;
  int disagreements_ = 0, trials_ = 0;
};

}  // namespace brink
