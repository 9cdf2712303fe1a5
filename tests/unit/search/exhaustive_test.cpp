#include <catch2/catch.hpp>

#include "tests/unit/search/world.hpp"

using namespace brink;

namespace {

struct Small {
  int size = 0, first_bad = 0, hole = -1;
  unsigned skips = 0;
  bool skipped(int at) const { return (skips >> at & 1u) != 0; }
  bool fails(int at) const { return at != hole && at >= first_bad; }
  std::string text() const {
    return "size " + std::to_string(size) + " T " + std::to_string(first_bad) + " hole " +
           std::to_string(hole) + " skips " + std::to_string(skips);
  }
  World world() const {
    return [this](Position at, int) {
      const int index = static_cast<int>(at);
      return skipped(index) ? skip() : fails(index) ? bad() : good();
    };
  }
};

/// Every verdict that the answer implies for a value agrees with the world.
bool right(const Small& small, const Answer& answer) {
  const auto index = [](const std::optional<std::string>& value, int other) {
    return value ? std::stoi(*value) : other;
  };
  const int last_good = index(answer.last_good, -1), first_bad = index(answer.first_bad, small.size);
  for (int at = 0; at < small.size; ++at) {
    if (small.skipped(at) || at == small.hole) continue;
    if (at <= last_good && small.fails(at)) return false;
    if (at >= first_bad && !small.fails(at)) return false;
  }
  return true;
}

bool tight(const Small& small, const Answer& answer) {
  const int from = answer.last_good ? std::stoi(*answer.last_good) : -1;
  const int to = answer.first_bad ? std::stoi(*answer.first_bad) : small.size;
  for (int at = from + 1; at < to; ++at)
    if (!small.skipped(at)) return false;
  return true;
}

std::string range(int size) { return "0.." + std::to_string(size - 1); }

SearchOptions every_value() {
  SearchOptions options;
  options.holes = {HolePolicy::Kind::share, 0.2};  // 14 draws: all of up to ten values
  return options;
}

/// Without holes every answer is the truth, whatever is skipped.
void check_monotone(const Small& small, const Course& course) {
  INFO(small.text());
  REQUIRE(course.ended);
  const Answer& answer = course.answer;
  REQUIRE(right(small, answer));
  REQUIRE(tight(small, answer));
  const unsigned all = (1u << small.size) - 1;
  const unsigned bads = all & ~((1u << small.first_bad) - 1) & ~small.skips;
  const unsigned goods = all & ((1u << small.first_bad) - 1) & ~small.skips;
  if (goods && bads) {
    const bool adjacent =
        answer.last_good && std::stoi(*answer.last_good) + 1 == std::stoi(*answer.first_bad);
    REQUIRE(answer.kind == (adjacent ? AnswerKind::threshold : AnswerKind::only_other_failures));
    REQUIRE(answer.answered == adjacent);
  } else if (bads) {
    REQUIRE(answer.kind == AnswerKind::everything_fails);
    REQUIRE(answer.answered);
  } else if (goods) {
    const bool top_skipped = small.skipped(small.size - 1);
    REQUIRE(answer.kind == (top_skipped ? AnswerKind::only_other_failures : AnswerKind::nothing_fails));
    REQUIRE(answer.answered == !top_skipped);
  } else {
    REQUIRE(answer.kind == AnswerKind::only_other_failures);
  }
}

}  // namespace

TEST_CASE("threshold: every threshold and every skip mask up to ten values", "[search]") {
  for (int size = 1; size <= 10; ++size)
    for (int first_bad = 0; first_bad <= size; ++first_bad)
      for (unsigned skips = 0; skips < 1u << size; ++skips) {
        const Small small{size, first_bad, -1, skips};
        check_monotone(small, explore(range(size), small.world(), without_holes()));
      }
}

TEST_CASE("threshold: every threshold and skip mask up to seven values with slots and any order",
          "[search]") {
  for (int size = 1; size <= 7; ++size)
    for (int first_bad = 0; first_bad <= size; ++first_bad)
      for (unsigned skips = 0; skips < 1u << size; ++skips)
        for (int slots = 2; slots <= 4; ++slots) {
          const Small small{size, first_bad, -1, skips};
          check_monotone(small, explore(range(size), small.world(), without_holes(), slots, skips + 1));
        }
}

TEST_CASE("threshold: every threshold, hole and skip mask, all values looked at", "[search]") {
  for (int size = 1; size <= 10; ++size)
    for (int first_bad = 0; first_bad <= size; ++first_bad)
      for (int hole = first_bad; hole < size; ++hole)
        for (unsigned skips = 0; skips < 1u << size; skips += size < 8 ? 1 : 7) {
          const Small small{size, first_bad, hole, skips};
          if (small.skipped(hole)) continue;
          INFO(small.text());
          const Course course = explore(range(size), small.world(), every_value());
          REQUIRE(course.ended);
          const Answer& answer = course.answer;
          // A hole is only one when a bad value below it can be seen.
          unsigned below = ((1u << hole) - 1) & ~((1u << first_bad) - 1) & ~skips;
          if (below == 0) continue;
          if (answer.kind == AnswerKind::only_other_failures) continue;
          REQUIRE(answer.kind == AnswerKind::intervals);
          for (const Interval& interval : answer.intervals)
            for (int at = std::stoi(interval.from); at <= std::stoi(interval.to); ++at)
              if (!small.skipped(at)) REQUIRE((interval.verdict == Verdict::bad) == small.fails(at));
          if (skips == 0) REQUIRE(answer.answered);
        }
}

TEST_CASE("threshold: with few probes a hole may hide, but its border is real and the share is stated",
          "[search]") {
  for (int size = 2; size <= 10; ++size)
    for (int first_bad = 0; first_bad <= size; ++first_bad)
      for (int hole = first_bad; hole < size; ++hole) {
        const Small small{size, first_bad, hole, 0};
        INFO(small.text());
        const Answer answer = explore(range(size), small.world()).answer;
        if (answer.kind != AnswerKind::threshold || !answer.answered) continue;
        REQUIRE(!small.fails(std::stoi(*answer.last_good)));
        REQUIRE(small.fails(std::stoi(*answer.first_bad)));
        REQUIRE(answer.holes.excluded_share);
      }
}

TEST_CASE("threshold: every threshold where goods may fail too", "[search]") {
  SearchOptions options = without_holes();
  options.false_bad = true;
  for (int size = 1; size <= 10; ++size)
    for (int first_bad = 0; first_bad <= size; ++first_bad)
      for (unsigned skips = 0; skips < 1u << size; skips += 5) {
        const Small small{size, first_bad, -1, skips};
        check_monotone(small, explore(range(size), small.world(), options));
      }
}

TEST_CASE("threshold: a deterministic world costs bisection and a few confirmations", "[search]") {
  for (const int size : {2, 3, 10, 64, 257, 1000}) {
    int log = 0;
    while ((1 << log) < size + 1) ++log;
    for (int first_bad = 1; first_bad < size; ++first_bad) {
      const Course course = explore(range(size), step(first_bad), without_holes());
      INFO(size << " " << first_bad);
      REQUIRE(course.answer.answered);
      REQUIRE(course.answer.first_bad == std::to_string(first_bad));
      REQUIRE(course.trials <= log + 7);
      REQUIRE(static_cast<int>(course.distinct()) <= log + 2);
    }
  }
}
