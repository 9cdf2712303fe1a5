#pragma once

#include <string>
#include <vector>

#include "harness/search/needs.hpp"

namespace brink {

/// A stretch of told positions with one verdict (and, where asked for, one signature). Skips do not end it.
struct Run {
  Position first = 0, last = 0;
  Verdict verdict = Verdict::good;
  std::string signature, failure_class;
  bool identified = false;  ///< a bad trial of ours gave the signature; known verdicts have none
  int probed = 0;           ///< positions with a trial of ours
  int good = 0, bad = 0;    ///< trials
};
std::vector<Run> runs_of(const Ledger& ledger, bool by_signature);

inline constexpr std::size_t kMostIntervals = 8, kMostSignatureBorders = 4;

/// Neighbouring bad positions with different signatures.
std::vector<Bracket> signature_borders(const Ledger& ledger);
void need_signature_borders(const Ledger& ledger, Needs& needs);

/// What goods above bads call for: repeats until a flake is excluded, the borders, their confirmation.
/// Nothing once there are too many intervals.
Needs alternating_needs(const Scene& scene);
/// The probability, from the same model of flakes, that some border or hole of the structure is a flake.
double structure_doubt(const Ledger& ledger);
/// Every border is adjacent and confirmed on both sides, every hole repeated.
bool structure_confirmed(const Ledger& ledger, double confidence);

}  // namespace brink
