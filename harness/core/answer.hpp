#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/number.hpp"
#include "harness/core/verdict.hpp"

namespace brink {

enum class AnswerKind {
  none,
  threshold,
  nothing_fails,
  everything_fails,
  intervals,
  only_other_failures,
  bracket,
  sweep,
};
std::string_view answer_kind_text(AnswerKind kind);

/// A maximal stretch of one verdict and signature; `probed` of its values were tried, what lies between is
/// implied.
struct Interval {
  std::string from, to;
  Verdict verdict = Verdict::good;
  std::string signature;  ///< "" when good
  Int probed = 0;
  bool operator==(const Interval&) const = default;
};

struct SkippedValue {
  std::string value;
  std::string failure_class;
  bool operator==(const SkippedValue&) const = default;
};

/// Extra probes chosen at random that looked for verdicts against the answer.
struct Holes {
  int tried = 0, found = 0;
  std::optional<double> excluded_share;  ///< at `confidence`; nullopt when none were tried
  double confidence = 0.95;
  bool operator==(const Holes&) const = default;
};

/// One grid point of a sweep.
struct SweepPoint {
  std::string config;  ///< Config::canonical()
  std::optional<Verdict> verdict;
  std::string signature, failure_class;
  bool operator==(const SweepPoint&) const = default;
};

/// What a search knows now. Provisional until the search is done.
struct Answer {
  AnswerKind kind = AnswerKind::none;
  bool answered = false;  ///< the asked confidence is reached: state "answered", else "inconclusive"
  std::string axis;
  std::optional<std::string> last_good, first_bad;
  double confidence = 0;
  std::string signature;  ///< of the failure at first_bad
  std::vector<Interval> intervals;
  Holes holes;
  std::vector<SkippedValue> skipped;
  std::vector<std::string> warnings;
  std::vector<SweepPoint> points;  ///< sweep only
};

}  // namespace brink
