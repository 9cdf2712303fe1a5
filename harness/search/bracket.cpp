#include "harness/search/bracket.hpp"

#include <iterator>
#include <optional>
#include <set>

namespace brink {

namespace {

constexpr std::size_t kNearbyTries = 4;

/// Skips inside a bracket beyond which the gaps between them stay unexplored: enough to halve towards both
/// borders, and eight more.
std::size_t most_skips(const Bracket& bracket) {
  return static_cast<std::size_t>(8 + 2 * bits_of(bracket.above - bracket.below));
}

/// Close to where the first skip was, a little further with each: a lone skip costs one trial more.
std::optional<Position> nearby(const Bracket& bracket, const std::set<Position>& cuts) {
  if (cuts.empty() || cuts.size() > kNearbyTries) return std::nullopt;
  const Position offset = Position{1} << (cuts.size() - 1);
  if (offset * 8 > bracket.above - bracket.below) return std::nullopt;
  const Position middle = bracket.below + (bracket.above - bracket.below) / 2;
  const Position at = cuts.size() % 2 == 1 ? middle + offset : middle - offset;
  if (!bracket.holds(at) || cuts.contains(at)) return std::nullopt;
  return at;
}

/// The middle of the largest part that starts at or above `from_above`, or ends at or below `to_below`.
std::optional<Position> middle_of_largest(const Bracket& bracket, const std::set<Position>& cuts,
                                          Position to_below, Position from_above) {
  std::optional<Position> best;
  Position most = 1;
  Position from = bracket.below;
  const auto consider = [&](Position to) {
    const bool allowed = to <= to_below || from >= from_above;
    if (allowed && to - from > most) {
      most = to - from;
      best = from + most / 2;
    }
    from = to;
  };
  for (const Position cut : cuts) consider(cut);
  consider(bracket.above);
  return best;
}

}  // namespace

int bits_of(Position value) {
  int bits = 0;
  for (; value > 0; value >>= 1) ++bits;
  return bits;
}

std::vector<Position> split(const Ledger& ledger, const Bracket& bracket, const InFlight& in_flight,
                            int count) {
  std::vector<Position> points;
  std::set<Position> cuts;
  const auto& sites = ledger.sites();
  for (auto it = sites.upper_bound(bracket.below); it != sites.end() && it->first < bracket.above; ++it)
    cuts.insert(it->first);
  const std::size_t skips = cuts.size();
  Position to_below = bracket.above, from_above = bracket.below;
  if (skips >= most_skips(bracket)) {
    to_below = *cuts.begin();
    from_above = *cuts.rbegin();
  }
  for (auto it = in_flight.upper_bound(bracket.below); it != in_flight.end() && it->first < bracket.above;
       ++it)
    cuts.insert(it->first);
  if (cuts.empty()) {
    const Position span = bracket.above - bracket.below;
    for (int part = 1; part <= count; ++part) {
      const Position at = bracket.below + span * part / (count + 1);
      if (bracket.holds(at) && (points.empty() || points.back() != at)) points.push_back(at);
    }
    return points;
  }
  while (static_cast<int>(points.size()) < count) {
    std::optional<Position> at;
    if (skips == cuts.size()) at = nearby(bracket, cuts);
    if (!at) at = middle_of_largest(bracket, cuts, to_below, from_above);
    if (!at) break;
    points.push_back(*at);
    cuts.insert(*at);
  }
  return points;
}

bool closed(const Ledger& ledger, const Bracket& bracket) { return split(ledger, bracket, {}, 1).empty(); }

}  // namespace brink
