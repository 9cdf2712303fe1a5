#include "harness/search/ledger.hpp"

#include <algorithm>
#include <numeric>

namespace brink {

Verdict Site::verdict(bool false_bad) const {
  if (verdicts() == 0) return Verdict::skip;
  if (bad == 0) return Verdict::good;
  return !false_bad || bad >= good ? Verdict::bad : Verdict::good;
}

void Ledger::add(Position at, const Told& told) {
  Site& site = sites_[at];
  const bool disagreed = site.disagrees();
  switch (told.verdict) {
    case Verdict::good:
      ++site.good;
      break;
    case Verdict::bad:
      if (!told.known) {
        const bool first = site.signature.empty() && site.failure_class.empty();
        if (first) {
          site.signature = told.signature;
          site.failure_class = told.failure_class;
        }
        site.signatures_differ = site.signatures_differ || site.signature != told.signature;
      }
      ++site.bad;
      break;
    case Verdict::skip:
      if (site.skip == 0) site.skip_class = told.failure_class;
      ++site.skip;
      break;
  }
  if (told.known && told.verdict != Verdict::skip) ++site.known;
  if (!told.known) ++trials_;
  if (site.disagrees() && !disagreed) ++disagreements_;
  if (told.cost_s && !told.known) costs_.push_back(*told.cost_s);
}

const Site* Ledger::find(Position at) const {
  const auto found = sites_.find(at);
  return found == sites_.end() ? nullptr : &found->second;
}

std::optional<Verdict> Ledger::verdict(Position at) const {
  const Site* site = find(at);
  if (!site) return std::nullopt;
  return verdict(*site);
}

std::optional<Position> Ledger::lowest_verdict() const {
  for (const auto& [at, site] : sites_)
    if (site.verdicts() > 0) return at;
  return std::nullopt;
}

std::optional<Position> Ledger::highest_verdict() const {
  for (auto it = sites_.rbegin(); it != sites_.rend(); ++it)
    if (it->second.verdicts() > 0) return it->first;
  return std::nullopt;
}

std::optional<Position> Ledger::highest_good() const {
  for (auto it = sites_.rbegin(); it != sites_.rend(); ++it)
    if (verdict(it->second) == Verdict::good) return it->first;
  return std::nullopt;
}

std::optional<Position> Ledger::lowest_bad() const {
  for (const auto& [at, site] : sites_)
    if (verdict(site) == Verdict::bad) return at;
  return std::nullopt;
}

bool Ledger::violation() const {
  const auto good = highest_good();
  const auto bad = lowest_bad();
  return good && bad && *good > *bad;
}

bool Ledger::skips_between(Position below, Position above) const {
  for (auto it = sites_.upper_bound(below); it != sites_.end() && it->first < above; ++it)
    if (verdict(it->second) == Verdict::skip) return true;
  return false;
}

std::optional<double> Ledger::mean_cost() const {
  if (costs_.empty()) return std::nullopt;
  return std::accumulate(costs_.begin(), costs_.end(), 0.0) / static_cast<double>(costs_.size());
}

bool Ledger::cheap() const {
  constexpr double kCheap_s = 1.25;
  const auto mean = mean_cost();
  return mean && *mean <= kCheap_s;
}

std::optional<double> Ledger::median_cost() const {
  if (costs_.empty()) return std::nullopt;
  std::vector<double> costs = costs_;
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return *middle;
}

}  // namespace brink
