#include <algorithm>

#include "harness/core/config.hpp"
#include "harness/core/error.hpp"
#include "harness/search/search.hpp"

namespace brink {

namespace {

constexpr Position kMostPoints = 1'000'000;

/// The grid in order, the last axis fastest; every config once.
class Sweep final : public Search {
 public:
  explicit Sweep(std::vector<Axis> axes) : axes_(std::move(axes)) {
    Position points = 1;
    for (const Axis& axis : axes_) {
      if (axis.open())
        throw usage_error("axis " + axis.name() + ": a sweep needs an upper end", "",
                          "write " + axis.text() + "LAST");
      points = axis.size() > kMostPoints ? kMostPoints + 1 : points * axis.size();
      if (points > kMostPoints)
        throw usage_error("a sweep of over 1000000 configs", "", "give an axis a step or fewer values");
    }
    cells_.resize(static_cast<std::size_t>(points));
  }

  std::vector<Point> ask(int slots) override {
    std::vector<Point> points;
    while (first_free_ < cells_.size() && cells_[first_free_].state != State::free) ++first_free_;
    for (std::size_t i = first_free_; i < cells_.size() && static_cast<int>(points.size()) < slots; ++i) {
      if (cells_[i].state != State::free) continue;
      cells_[i].state = State::in_flight;
      points.push_back(point_at(i));
    }
    return points;
  }

  std::vector<Point> tell(const Point& point, const Told& told) override {
    Cell& cell = cells_[index_of(point)];
    if (cell.state == State::told) {
      // Another trial of a config that is told: the first verdict stands, a disagreement is said.
      cell.disagrees = cell.disagrees || told.verdict != cell.told.verdict;
      return {};
    }
    cell.state = State::told;
    cell.told = told;
    ++told_;
    return {};
  }

  bool done() const override { return told_ == cells_.size(); }

  Answer answer() const override {
    Answer answer;
    answer.kind = AnswerKind::sweep;
    answer.answered = done();
    if (axes_.size() == 1) answer.axis = axes_[0].name();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& cell = cells_[i];
      SweepPoint point;
      point.config = config_at(axes_, point_at(i)).canonical();
      if (cell.state == State::told) {
        point.verdict = cell.told.verdict;
        point.signature = cell.told.signature;
        point.failure_class = cell.told.failure_class;
        if (cell.told.verdict == Verdict::skip)
          answer.skipped.push_back({config_at(axes_, point_at(i)).text(), cell.told.failure_class});
      }
      if (cell.disagrees) answer.warnings.push_back(point.config + ": trials disagree; the first is shown");
      answer.points.push_back(std::move(point));
    }
    return answer;
  }

  void withdraw(const Point& point) override {
    const std::size_t i = index_of(point);
    if (cells_[i].state != State::in_flight) return;
    cells_[i].state = State::free;
    first_free_ = std::min(first_free_, i);
  }

 private:
  enum class State : std::uint8_t { free, in_flight, told };
  struct Cell {
    State state = State::free;
    bool disagrees = false;
    Told told;
  };

  Point point_at(std::size_t index) const {
    Point point(axes_.size());
    auto rest = static_cast<Position>(index);
    for (std::size_t i = axes_.size(); i-- > 0;) {
      point[i] = rest % axes_[i].size();
      rest /= axes_[i].size();
    }
    return point;
  }

  std::size_t index_of(const Point& point) const {
    if (point.size() != axes_.size()) throw usage_error("a point of another grid");
    Position index = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (point[i] < 0 || point[i] >= axes_[i].size())
        throw usage_error("a point off the axis " + axes_[i].name());
      index = index * axes_[i].size() + point[i];
    }
    return static_cast<std::size_t>(index);
  }

  std::vector<Axis> axes_;
  std::vector<Cell> cells_;
  std::size_t told_ = 0, first_free_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_sweep(std::vector<Axis> axes) {
  return std::make_unique<Sweep>(std::move(axes));
}

}  // namespace brink
