#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "tests/unit/search/world.hpp"

using namespace brink;

TEST_CASE("sweep: every config of the grid once, in order", "[search]") {
  const auto search = make_sweep({Axis::parse("n", "1..2"), Axis::parse("m", "a,b,c")});
  const std::vector<Point> first = search->ask(4);
  CHECK(first == std::vector<Point>{{0, 0}, {0, 1}, {0, 2}, {1, 0}});
  search->tell({0, 1}, skip());
  search->tell({1, 2}, bad("x"));  // nobody asked: a cached verdict
  CHECK(search->ask(4) == std::vector<Point>{{1, 1}});
  CHECK_FALSE(search->done());
  for (const Point& point : std::vector<Point>{{0, 0}, {0, 2}, {1, 0}, {1, 1}}) search->tell(point, good());
  CHECK(search->done());
  const Answer answer = search->answer();
  CHECK(answer.kind == AnswerKind::sweep);
  CHECK(answer.answered);
  REQUIRE(answer.points.size() == 6);
  CHECK(answer.points[1].config == R"({"m":"b","n":1})");
  CHECK(answer.points[1].verdict == Verdict::skip);
  CHECK(answer.points[5].signature == "x");
}

TEST_CASE("sweep: a withdrawn config is asked again", "[search]") {
  const auto search = make_sweep({Axis::parse("n", "1..3")});
  CHECK(search->ask(2) == std::vector<Point>{{0}, {1}});
  search->withdraw({0});
  CHECK(search->ask(2) == std::vector<Point>{{0}, {2}});
  CHECK_FALSE(search->answer().answered);
}

TEST_CASE("sweep: open axes and huge grids are refused", "[search]") {
  CHECK_THROWS_AS(make_sweep({Axis::parse("n", "1..")}), Error);
  CHECK_THROWS_AS(make_sweep({Axis::parse("n", "1..2000"), Axis::parse("m", "1..2000")}), Error);
  CHECK_THROWS_AS(make_sweep({Axis::parse("n", "-9223372036854775808..18446744073709551615"),
                              Axis::parse("m", "-9223372036854775808..18446744073709551615")}),
                  Error);
}
