#include <array>
#include <catch2/catch.hpp>
#include <iostream>

#include "tests/unit/search/world.hpp"

using namespace brink;

namespace {

constexpr int kSize = 257;

struct Tally {
  int courses = 0, answered = 0, wrong = 0, right_estimates = 0, most = 0;
  double trials = 0;
  std::array<int, 8> wrong_kinds{};
  double mean() const { return trials / courses; }
};

/// A bad config fails with probability q, a good one with probability p.
Tally roam(double q, double p, unsigned courses, SearchOptions options,
           std::optional<double> cost_s = std::nullopt) {
  Tally tally;
  for (unsigned seed = 0; seed < courses; ++seed) {
    std::mt19937 random(seed * 7919 + 17);
    const int first_bad = 1 + static_cast<int>(random() % (kSize - 1));
    const auto world = [&](Position at, int) {
      const double draw = static_cast<double>(random()) / 4294967296.0;
      Told told = draw < (at >= first_bad ? q : p) ? bad() : good();
      told.cost_s = cost_s;
      return told;
    };
    options.seed = seed;
    const Course course = explore("0..256", world, options);
    REQUIRE(course.ended);
    const Answer& answer = course.answer;
    ++tally.courses;
    tally.trials += course.trials;
    tally.most = std::max(tally.most, course.trials);
    const bool right =
        answer.first_bad == std::to_string(first_bad) && answer.last_good == std::to_string(first_bad - 1);
    tally.right_estimates += right;
    if (!answer.answered) continue;
    ++tally.answered;
    const bool wrong = !right || answer.kind != AnswerKind::threshold;
    tally.wrong += wrong;
    if (wrong) ++tally.wrong_kinds[static_cast<std::size_t>(answer.kind)];
  }
  return tally;
}

void print(const char* name, double q, double p, const Tally& tally) {
  std::cout << name << " q=" << q << " p=" << p << ": mean trials " << tally.mean() << ", most " << tally.most
            << ", right " << static_cast<double>(tally.right_estimates) / tally.courses << ", answered "
            << static_cast<double>(tally.answered) / tally.courses << ", answered wrongly "
            << static_cast<double>(tally.wrong) / tally.courses << " (";
  for (std::size_t kind = 0; kind < tally.wrong_kinds.size(); ++kind)
    if (tally.wrong_kinds[kind] > 0)
      std::cout << " " << answer_kind_text(static_cast<AnswerKind>(kind)) << " " << tally.wrong_kinds[kind];
  std::cout << ")\n";
}

}  // namespace

TEST_CASE("threshold: flaky failures are not answered wrongly more often than asked", "[search]") {
  for (const double q : {0.95, 0.9, 0.7, 0.5}) {
    const Tally tally = roam(q, 0, 1000, {});
    INFO("q " << q << " wrong " << tally.wrong);
    CHECK(tally.wrong <= 50);
    CHECK(tally.mean() < 60);
  }
}

TEST_CASE("threshold: cheap trials are confirmed more often, so that flakes are seen more often",
          "[search]") {
  for (const double q : {0.9, 0.7, 0.5}) {
    const Tally tally = roam(q, 0, 500, {}, 0.1);
    INFO("q " << q << " wrong " << tally.wrong);
    CHECK(tally.wrong <= 10);
  }
}

TEST_CASE("threshold: goods that fail too are not answered wrongly more often than asked", "[search]") {
  SearchOptions options;
  options.false_bad = true;
  const Tally tally = roam(0.9, 0.1, 100, options);
  CHECK(tally.wrong <= 5);
  CHECK(tally.mean() < 100);
}

TEST_CASE("threshold: figures for 257 values", "[.figures]") {
  for (const double q : {1.0, 0.95, 0.9, 0.7, 0.5}) {
    print("no hole probes", q, 0, roam(q, 0, 1000, without_holes()));
    print("two hole probes", q, 0, roam(q, 0, 1000, {}));
    print("cheap", q, 0, roam(q, 0, 1000, {}, 0.1));
  }
  SearchOptions noisy = without_holes();
  noisy.false_bad = true;
  print("false bad", 1, 0, roam(1, 0, 100, noisy));
  print("false bad", 0.9, 0.1, roam(0.9, 0.1, 200, noisy));
}
