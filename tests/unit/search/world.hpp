#pragma once

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "harness/search/search.hpp"

namespace brink {

/// What a trial at a position says; the number counts the trials made there before.
using World = std::function<Told(Position, int)>;

inline Told good() { return {}; }
inline Told bad(std::string signature = "s") {
  Told told;
  told.verdict = Verdict::bad;
  told.signature = std::move(signature);
  told.failure_class = "unknown";
  return told;
}
inline Told skip() {
  Told told;
  told.verdict = Verdict::skip;
  told.failure_class = "other";
  return told;
}

/// Fails from `first_bad` up, every time.
inline World step(Position first_bad) {
  return [=](Position at, int) { return at >= first_bad ? bad() : good(); };
}

struct Course {
  Answer answer;
  int trials = 0;
  bool ended = false;  ///< before the cap
  std::map<Position, int> tried;
  std::size_t distinct() const { return tried.size(); }
};

/// Runs a search in a world with k slots; what is in flight ends in random order when k > 1.
inline Course explore(Search& search, const World& world, int slots = 1, unsigned order_seed = 1,
                      int cap = 20'000) {
  Course course;
  std::mt19937 random(order_seed);
  std::deque<Point> running;
  while (course.trials < cap) {
    const int free = slots - static_cast<int>(running.size());
    if (free > 0)
      for (const Point& point : search.ask(free)) running.push_back(point);
    if (running.empty()) break;
    const std::size_t pick = slots == 1 ? 0 : random() % running.size();
    const Point point = running[pick];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
    const Told told = world(point[0], course.tried[point[0]]++);
    ++course.trials;
    for (const Point& cancelled : search.tell(point, told)) std::erase(running, cancelled);
  }
  course.ended = search.done();
  course.answer = search.answer();
  return course;
}

inline Course explore(const std::string& range, const World& world, SearchOptions options = {}, int slots = 1,
                      unsigned order_seed = 1) {
  const auto search = make_threshold(Axis::parse("n", range), options);
  return explore(*search, world, slots, order_seed);
}

inline SearchOptions without_holes() {
  SearchOptions options;
  options.holes.kind = HolePolicy::Kind::off;
  return options;
}

}  // namespace brink
