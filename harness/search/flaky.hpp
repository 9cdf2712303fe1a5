#pragma once

#include "harness/search/needs.hpp"
#include "harness/search/posterior.hpp"

namespace brink {

/// Where the threshold most likely lies when trials of one config disagree.
struct Estimate {
  Bracket bracket;  ///< -1 and size as in plain_bracket
  double confidence = 0;
};
Estimate flaky_estimate(const Scene& scene);

/// The trials that tell most about the threshold when verdicts are noisy, until the asked confidence is
/// reached or as many were made as any bearable flake rate needs.
Needs flaky_needs(const Scene& scene, const InFlight& in_flight, int slots);
/// That many trials.
int most_flaky_trials(const Scene& scene);

}  // namespace brink
