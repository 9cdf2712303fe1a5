#pragma once

#include <map>
#include <vector>

#include "harness/search/ledger.hpp"

namespace brink {

/// Two positions with something to find between them. -1 and size() stand for ends without a verdict.
struct Bracket {
  Position below = 0, above = 0;
  bool holds(Position at) const { return below < at && at < above; }
};

/// How often each position is being tried at the moment.
using InFlight = std::map<Position, int>;

/// Up to `count` positions that cut what is open of a bracket into parts of equal size, beside those in
/// flight. Skips are stepped over: nearby first, then by halving towards each border; the gaps between skips
/// are looked into a bounded number of times. Everything told inside the bracket must be a skip.
std::vector<Position> split(const Ledger& ledger, const Bracket& bracket, const InFlight& in_flight,
                            int count);

/// Adjacent, or nothing but skips is worth a look in between.
bool closed(const Ledger& ledger, const Bracket& bracket);

/// floor(log2(value)) + 1; 0 for 0.
int bits_of(Position value);

}  // namespace brink
