#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/search/conclusion.hpp"
#include "harness/search/needs.hpp"
#include "harness/search/search.hpp"

namespace brink {

namespace {

// An open range stops at a trial this many times dearer than the median, and no cheaper than this: below,
// differences are noise of starting processes.
constexpr double kDear = 100, kDearLeast_s = 1;

class Threshold final : public Search {
 public:
  Threshold(Axis axis, SearchOptions options)
      : axis_(std::move(axis)),
        options_(options),
        ledger_(options.false_bad),
        draws_(options.seed, axis_.name() + "=" + axis_.text()),
        size_(axis_.size()) {}

  std::vector<Point> ask(int slots) override {
    std::vector<Point> points;
    if (done_ || slots < 1) return points;
    const Needs needs = needs_of(scene(), in_flight_, slots);
    const auto take = [&](Position at) {
      ++in_flight_[at];
      points.push_back({at});
      return static_cast<int>(points.size()) < slots;
    };
    for (const Needs::Times& site : needs.sites)
      for (int missing = site.times - running(site.at); missing > 0; --missing)
        if (!take(site.at)) return points;
    for (std::size_t i = 0; i < needs.brackets.size(); ++i) {
      // What other brackets leave is theirs: each gets its part of the slots, the first the most.
      const int free = slots - static_cast<int>(points.size());
      const int left = static_cast<int>(needs.brackets.size() - i);
      for (const Position at : split(ledger_, needs.brackets[i], in_flight_, (free + left - 1) / left))
        if (!take(at)) return points;
    }
    return points;
  }

  std::vector<Point> tell(const Point& point, const Told& told) override {
    const Position at = position(point);
    take_back(at);
    watch_cost(told);
    ledger_.add(at, told);
    int ahead = 1;
    for (const auto& [position, times] : in_flight_) ahead += times;
    const Needs needs = needs_of(scene(), {}, ahead);
    done_ = needs.finished();
    std::vector<Point> pointless;
    for (auto it = in_flight_.begin(); it != in_flight_.end();) {
      if (wanted(needs, it->first)) {
        ++it;
        continue;
      }
      pointless.push_back({it->first});
      it = in_flight_.erase(it);
    }
    return pointless;
  }

  bool done() const override { return done_; }
  Answer answer() const override { return conclude(scene(), axis_, done_); }
  void withdraw(const Point& point) override { take_back(position(point)); }

 private:
  Scene scene() const {
    Scene scene{ledger_, options_, draws_, size_, axis_.open()};
    // Once the bracket is closed nothing dear is left to do: confirmation may go on.
    scene.stopped = dear_ && !(ledger_.lowest_bad() && !ledger_.disagreement() && !ledger_.violation() &&
                               closed(ledger_, plain_bracket(scene)));
    return scene;
  }

  bool wanted(const Needs& needs, Position at) const {
    if (needs.finished()) return false;
    if (needs.any_counts || needs.wants(at)) return true;
    return !ledger_.find(at) && std::any_of(needs.brackets.begin(), needs.brackets.end(),
                                            [&](const Bracket& bracket) { return bracket.holds(at); });
  }

  /// Before the trial counts itself: the median is that of the trials so far.
  void watch_cost(const Told& told) {
    if (!axis_.open() || told.known) return;
    if (told.heavy) dear_ = true;
    const auto median = ledger_.median_cost();
    if (told.cost_s && median && ledger_.costs() >= 2 && *told.cost_s > kDear * *median &&
        *told.cost_s >= kDearLeast_s)
      dear_ = true;
  }

  Position position(const Point& point) const {
    if (point.size() != 1 || point[0] < 0 || point[0] >= size_)
      throw usage_error("a point off the axis " + axis_.name());
    return point[0];
  }

  int running(Position at) const {
    const auto found = in_flight_.find(at);
    return found == in_flight_.end() ? 0 : found->second;
  }

  void take_back(Position at) {
    const auto found = in_flight_.find(at);
    if (found != in_flight_.end() && --found->second == 0) in_flight_.erase(found);
  }

  Axis axis_;
  SearchOptions options_;
  Ledger ledger_;
  HoleDraws draws_;
  Position size_;
  InFlight in_flight_;
  bool dear_ = false, done_ = false;
};

}  // namespace

std::unique_ptr<Search> make_threshold(Axis axis, SearchOptions options) {
  return std::make_unique<Threshold>(std::move(axis), options);
}

}  // namespace brink
