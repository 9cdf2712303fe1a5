#pragma once

#include "harness/search/needs.hpp"

namespace brink {

/// Two trials on a side (three where trials are cheap), at least one of them ours.
bool confirmed_side(const Ledger& ledger, Position at);
void need_side(const Ledger& ledger, Position at, Needs& needs);

/// P(below < T <= above) after the trials told.
double bracket_confidence(const Scene& scene, const Bracket& bracket);

/// Adds the repeats at both sides of a closed bracket: two each, then the one that would raise the
/// confidence most, until the one asked for would be reached if all went as expected; at most `ahead` of the
/// latter at once.
void need_confirmation(const Scene& scene, const Bracket& bracket, int ahead, Needs& needs);

}  // namespace brink
