#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/job.hpp"

namespace brink {

/// How a toolchain's log names a failure (CONTRACT 3). Tried in order; the first that matches names the
/// failure.
struct Rule {
  std::string failure_class;
  std::string stage;                  ///< "" for every stage
  std::string match;                  ///< RE2
  std::string capture;                ///< RE2 with named groups, applied to the joined message; "" none
  bool repeat = false;                ///< all matches of capture, as rows
  std::vector<std::string> identify;  ///< captures that make the signature; empty: the normalised message
  std::string sample;                 ///< file name of a log that it matches
  bool operator==(const Rule&) const = default;
};

/// What exit codes mean. Everything not listed is bad (126 and 127: infrastructure, unless listed).
struct ExitCodes {
  std::set<int> good{0}, bad, skip{125};
  bool operator==(const ExitCodes&) const = default;
};

struct Rules {
  std::vector<Rule> rules;
  std::vector<std::string> recoverable;  ///< RE2: lines that look like failures and are none
  ExitCodes exit_codes;
  bool operator==(const Rules&) const = default;
};

/// Changes when any diagnosis could: stored with each diagnosis, so that `reclassify` knows what is old.
std::string rules_digest(const Rules& rules);

/// Throws a usage Error naming the pattern when one is not RE2 ("rule 3: match: missing ): …").
void check_pattern(const std::string& pattern, const std::string& where);

}  // namespace brink
