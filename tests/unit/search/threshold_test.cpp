#include <catch2/catch.hpp>

#include "tests/unit/search/world.hpp"

using namespace brink;

namespace {

bool warns(const Answer& answer, const std::string& words) {
  for (const std::string& warning : answer.warnings)
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("threshold: finds the first bad value and confirms both sides", "[search]") {
  const Course course = explore("1..1000", step(900));
  const Answer& answer = course.answer;
  REQUIRE(course.ended);
  CHECK(answer.kind == AnswerKind::threshold);
  CHECK(answer.answered);
  CHECK(answer.last_good == "900");
  CHECK(answer.first_bad == "901");
  CHECK(answer.confidence >= 0.95);
  CHECK(answer.signature == "s");
  CHECK(course.tried.at(899) >= 2);
  CHECK(course.tried.at(900) >= 2);
  CHECK(answer.holes.tried == 2);
  CHECK(answer.holes.found == 0);
  REQUIRE(answer.intervals.size() == 2);
  CHECK(answer.intervals[0].from == "1");
  CHECK(answer.intervals[0].to == "900");
  CHECK(answer.intervals[1].from == "901");
  CHECK(answer.intervals[1].to == "1000");
  CHECK(answer.intervals[0].probed + answer.intervals[1].probed == static_cast<Int>(course.distinct()));
  CHECK(answer.warnings.empty());
}

TEST_CASE("threshold: asks both ends first, together when slots allow", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "1..100"), {});
  CHECK(search->ask(2) == std::vector<Point>{{0}, {99}});
  const auto single = make_threshold(Axis::parse("n", "1..100"), {});
  CHECK(single->ask(1) == std::vector<Point>{{0}});
  CHECK(single->ask(1) == std::vector<Point>{{99}});
}

TEST_CASE("threshold: nothing fails and everything fails are answers", "[search]") {
  const Answer nothing = explore("1..1000", step(5000)).answer;
  CHECK(nothing.kind == AnswerKind::nothing_fails);
  CHECK(nothing.answered);
  CHECK(nothing.last_good == "1000");
  CHECK_FALSE(nothing.first_bad);
  CHECK(nothing.confidence >= 0.95);

  const Answer everything = explore("1..1000", step(0)).answer;
  CHECK(everything.kind == AnswerKind::everything_fails);
  CHECK(everything.answered);
  CHECK(everything.first_bad == "1");
  CHECK_FALSE(everything.last_good);
}

TEST_CASE("threshold: one value, and two", "[search]") {
  CHECK(explore("7..7", step(0)).answer.kind == AnswerKind::everything_fails);
  CHECK(explore("7..7", step(1)).answer.kind == AnswerKind::nothing_fails);
  const Answer two = explore("7..8", step(1)).answer;
  CHECK(two.kind == AnswerKind::threshold);
  CHECK(two.answered);
  CHECK(two.first_bad == "8");
}

TEST_CASE("threshold: ranges up to 2^64-1 with negatives, steps, doublings, sets and down", "[search]") {
  struct Row {
    std::string axis, last_good, first_bad;
  };
  const Row row = GENERATE(
      Row{"-9223372036854775808..18446744073709551615", "18446744073709551613", "18446744073709551614"},
      Row{"-9223372036854775808..18446744073709551615", "-5", "-4"}, Row{"0..1000..10", "490", "500"},
      Row{"1..4096:log2", "64", "128"}, Row{"a,b,c,d,e", "c", "d"}, Row{"100..2000:down", "900", "899"});
  const Axis axis = Axis::parse("n", row.axis);
  const auto search = make_threshold(axis, {});
  const Answer answer = explore(*search, step(*axis.position(row.first_bad))).answer;
  CHECK(answer.kind == AnswerKind::threshold);
  CHECK(answer.answered);
  CHECK(answer.last_good == row.last_good);
  CHECK(answer.first_bad == row.first_bad);
}

TEST_CASE("threshold: gallops on an open axis", "[search]") {
  const Course course = explore("1..", step(1000));
  CHECK(course.answer.kind == AnswerKind::threshold);
  CHECK(course.answer.answered);
  CHECK(course.answer.first_bad == "1001");
  CHECK(course.trials <= 2 * 10 + 8);
  CHECK(course.tried.rbegin()->first <= 2000);
}

TEST_CASE("threshold: on an open axis other failures are not galloped through for ever", "[search]") {
  const Course course = explore("1..", [](Position at, int) { return at < 17 ? good() : skip(); });
  CHECK(course.ended);
  CHECK(course.answer.kind == AnswerKind::only_other_failures);
  CHECK(course.answer.last_good == "17");
  CHECK_FALSE(course.answer.first_bad);
  CHECK(course.tried.rbegin()->first <= 16 << 9);

  const Course behind = explore("1..", [](Position at, int) {
    return at < 17 ? good() : at < 200 ? skip() : bad();
  });
  CHECK(behind.answer.kind == AnswerKind::only_other_failures);
  CHECK(behind.answer.last_good == "17");
  CHECK(behind.answer.first_bad == "201");
}

TEST_CASE("threshold: an open range stops with a bracket when a trial is dear or heavy", "[search]") {
  const auto dear = [](Position at, int) {
    Told told;
    told.cost_s = at < 64 ? 1.0 : 200.0;
    return told;
  };
  const Course course = explore("1..", dear);
  CHECK(course.ended);
  CHECK(course.answer.kind == AnswerKind::bracket);
  CHECK_FALSE(course.answer.answered);
  CHECK(course.answer.last_good == "65");
  CHECK_FALSE(course.answer.first_bad);
  CHECK(warns(course.answer, "stopped"));

  const auto heavy = [](Position at, int) {
    Told told;
    told.heavy = at >= 16;
    return told;
  };
  CHECK(explore("1..", heavy).answer.last_good == "17");
}

TEST_CASE("threshold: steps over skipped values", "[search]") {
  const auto world = [](Position at, int) { return at % 3 == 0 ? skip() : at >= 500 ? bad() : good(); };
  const Course course = explore("0..1000", world);
  CHECK(course.answer.kind == AnswerKind::threshold);
  CHECK(course.answer.answered);
  CHECK(course.answer.last_good == "499");
  CHECK(course.answer.first_bad == "500");
  CHECK_FALSE(course.answer.skipped.empty());
  CHECK(course.answer.skipped[0].failure_class == "other");
}

TEST_CASE("threshold: only other failures between two tight sides", "[search]") {
  const auto world = [](Position at, int) { return at < 2992 ? good() : at < 5967 ? skip() : bad(); };
  const Course course = explore("1..8000", world);
  CHECK(course.ended);
  CHECK(course.answer.kind == AnswerKind::only_other_failures);
  CHECK_FALSE(course.answer.answered);
  CHECK(course.answer.last_good == "2992");
  CHECK(course.answer.first_bad == "5968");
  CHECK(course.trials < 60);
}

TEST_CASE("threshold: a failure that masks the target to the end is no threshold", "[search]") {
  const auto world = [](Position at, int) { return at < 16 ? good() : skip(); };
  const Course course = explore("1..1000", world);
  CHECK(course.ended);
  CHECK(course.answer.kind == AnswerKind::only_other_failures);
  CHECK_FALSE(course.answer.answered);
  CHECK(course.answer.last_good == "16");
  CHECK_FALSE(course.answer.first_bad);

  const Course all = explore("1..1000", [](Position, int) { return skip(); });
  CHECK(all.ended);
  CHECK(all.answer.kind == AnswerKind::only_other_failures);
  CHECK_FALSE(all.answer.last_good);
  CHECK(all.trials < 100);
}

TEST_CASE("threshold: wide stretches of other failures cost a bounded number of trials with any slots",
          "[search]") {
  const auto islands = [](Position at, int) {
    return at % 5'000'011 != 77 ? skip() : at < 600'000'000 ? good() : bad();
  };
  for (int slots = 1; slots <= 8; ++slots)
    for (const std::string axis : {"0..1000000000", "0..", "0..18446744073709551615"}) {
      const auto search = make_threshold(Axis::parse("n", axis), {});
      search->tell({77}, good());
      search->tell({900'002'057}, bad());
      const Course course = explore(*search, islands, slots, static_cast<unsigned>(slots), 2'000);
      CHECK(course.ended);
      CHECK(course.trials < 250);
      CHECK(course.answer.kind == AnswerKind::only_other_failures);
    }
}

TEST_CASE("threshold: a skipped end is replaced inwards", "[search]") {
  const auto world = [](Position at, int) {
    return at < 3 || at > 995 ? skip() : at >= 500 ? bad() : good();
  };
  const Answer answer = explore("0..1000", world).answer;
  CHECK(answer.kind == AnswerKind::threshold);
  CHECK(answer.answered);
  CHECK(answer.first_bad == "500");
  CHECK(answer.skipped.front().value == "0");
  CHECK(answer.skipped.back().value == "1000");
}

TEST_CASE("threshold: a hole above becomes confirmed intervals", "[search]") {
  const auto world = [](Position at, int) { return at >= 300 && (at < 600 || at > 700) ? bad() : good(); };
  SearchOptions options;
  options.holes = {HolePolicy::Kind::share, 0.05};
  const Course course = explore("0..1000", world, options);
  REQUIRE(course.ended);
  CHECK(course.answer.kind == AnswerKind::intervals);
  CHECK(course.answer.answered);
  CHECK(course.answer.last_good == "299");
  CHECK(course.answer.first_bad == "300");
  REQUIRE(course.answer.intervals.size() == 4);
  CHECK(course.answer.intervals[2].from == "600");
  CHECK(course.answer.intervals[2].to == "700");
  CHECK(course.answer.holes.found > 0);
  CHECK(warns(course.answer, "not monotone"));
  for (const Position at : {299, 300, 599, 600, 700, 701}) CHECK(course.tried.at(at) >= 2);
}

TEST_CASE("threshold: an axis the wrong way round is said to be one", "[search]") {
  const auto world = [](Position at, int) { return at < 500 ? bad() : good(); };
  const Answer answer = explore("0..1000", world).answer;
  CHECK(answer.kind == AnswerKind::intervals);
  CHECK_FALSE(answer.last_good);
  CHECK_FALSE(answer.first_bad);
  CHECK(warns(answer, "n:down"));
}

TEST_CASE("threshold: good only at powers of two is no plain threshold and costs a bounded number of trials",
          "[search]") {
  const auto world = [](Position at, int) { return ((at + 1) & at) == 0 ? good() : bad(); };
  SearchOptions options;
  options.holes = {HolePolicy::Kind::share, 0.01};
  const Course course = explore("1..1000", world, options);
  CHECK(course.ended);
  CHECK(course.answer.kind == AnswerKind::intervals);
  CHECK(course.trials < 500);
  if (!course.answer.answered) CHECK(warns(course.answer, "not a structure of intervals; try explain"));
}

TEST_CASE("threshold: verdicts at random are hardly ever answered, after a bounded number of trials",
          "[search]") {
  int answered = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const Course course = explore("1..257", [&](Position, int) { return random() % 2 ? bad() : good(); });
    REQUIRE(course.ended);
    REQUIRE(course.trials < 200);
    answered += course.answer.answered;
  }
  CHECK(answered <= 20);  // those that happened to agree: fewer than the confidence allows
}

TEST_CASE("threshold: the border between two failures is found", "[search]") {
  const auto world = [](Position at, int) {
    return at < 2992 ? good() : at < 5967 ? bad("recursion") : bad("memory");
  };
  const Answer answer = explore("1..8000", world).answer;
  CHECK(answer.kind == AnswerKind::threshold);
  CHECK(answer.answered);
  CHECK(answer.signature == "recursion");
  REQUIRE(answer.intervals.size() == 3);
  CHECK(answer.intervals[1].to == "5967");
  CHECK(answer.intervals[2].from == "5968");
  CHECK(warns(answer, "recursion up to n=5967"));
  CHECK(warns(answer, "memory from n=5968"));

  const auto both = [](Position at, int) { return at < 82900 ? bad("limit") : bad("crash"); };
  const Answer everything = explore("1000..120000", both).answer;
  CHECK(everything.kind == AnswerKind::everything_fails);
  CHECK(everything.answered);
  CHECK(warns(everything, "crash from n=83900"));
}

TEST_CASE("threshold: a failure that changes everywhere is reported as no structure", "[search]") {
  const auto world = [](Position at, int) {
    return at < 500 ? good() : bad(std::to_string(static_cast<int>(at)));
  };
  const Course course = explore("0..1000", world);
  CHECK(course.ended);
  CHECK_FALSE(course.answer.answered);
  CHECK(course.answer.first_bad == "500");
  CHECK(warns(course.answer, "not a structure of intervals; try explain"));
  CHECK(course.trials < 40);
}

TEST_CASE("threshold: disagreement of one config is named and never a plain threshold", "[search]") {
  const auto world = [](Position at, int trial) {
    return at < 40 ? good() : at == 40 && trial == 0 ? good() : bad();
  };
  const Course course = explore("0..100", world);
  CHECK(course.ended);
  CHECK_FALSE(course.answer.answered);
  CHECK(warns(course.answer, "n=40 failed"));
}

TEST_CASE("threshold: cached verdicts are evidence, known ones never a confirmed side", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "1..100"), without_holes());
  Told known_good = good(), known_bad = bad();
  known_good.known = known_bad.known = true;
  search->tell({39}, known_good);
  search->tell({40}, known_bad);
  const Course course = explore(*search, step(40));
  CHECK(course.answer.answered);
  CHECK(course.answer.first_bad == "41");
  CHECK(course.tried.contains(39));
  CHECK(course.tried.contains(40));

  const auto replay = make_threshold(Axis::parse("n", "1..100"), without_holes());
  replay->tell({39}, known_good);
  replay->tell({40}, known_bad);
  for (const auto& [at, times] : course.tried)
    for (int i = 0; i < times; ++i) replay->tell({at}, step(40)(at, i));
  CHECK(replay->done());
  CHECK(replay->ask(4).empty());
  CHECK(replay->answer().first_bad == "41");
}

TEST_CASE("threshold: trials told in any order to a new search give the same answer", "[search]") {
  const auto world = [](Position at, int) {
    Told told = at % 7 == 3 ? skip() : at >= 600 ? bad(at > 700 ? "b" : "a") : good();
    told.cost_s = 0.3;
    return told;
  };
  for (unsigned seed = 1; seed < 20; ++seed) {
    const Course course = explore("1..1000", world, {}, 3, seed);
    const auto replay = make_threshold(Axis::parse("n", "1..1000"), {});
    for (const auto& [at, times] : course.tried)
      for (int i = 0; i < times; ++i) replay->tell({at}, world(at, i));
    REQUIRE(replay->done());
    const Answer answer = replay->answer();
    CHECK(answer.first_bad == course.answer.first_bad);
    CHECK(answer.answered);
    CHECK(answer.intervals == course.answer.intervals);
    CHECK(answer.skipped == course.answer.skipped);
    CHECK(answer.holes == course.answer.holes);
    CHECK(answer.warnings == course.answer.warnings);
    CHECK(answer.confidence == Approx(course.answer.confidence));
  }
}

TEST_CASE("threshold: a side that cannot be repeated is not confirmed, and is not repeated for ever",
          "[search]") {
  const auto world = [](Position at, int trial) { return trial > 0 ? skip() : at >= 50 ? bad() : good(); };
  const Course course = explore("1..100", world);
  CHECK(course.ended);
  CHECK_FALSE(course.answer.answered);
  CHECK(warns(course.answer, "could not be confirmed"));
  CHECK(course.trials < 30);
}

TEST_CASE("threshold: known verdicts that are wrong end in a disagreement, not in an answer", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "1..100"), {});
  Told known = bad();
  known.known = true;
  search->tell({19}, known);
  const Course course = explore(*search, step(40));
  CHECK(course.ended);
  CHECK_FALSE(course.answer.answered);
  CHECK(warns(course.answer, "n=20 failed"));
}

TEST_CASE("threshold: cheap trials buy thirty random probes, dear ones two, a share what it needs",
          "[search]") {
  const auto costing = [](double cost) {
    return [cost](Position at, int) {
      Told told = at >= 500 ? bad() : good();
      told.cost_s = cost;
      return told;
    };
  };
  CHECK(explore("1..1000", costing(0.01)).answer.holes.tried == 30);
  CHECK(explore("1..1000", costing(2)).answer.holes.tried == 5);
  CHECK(explore("1..1000", costing(600)).answer.holes.tried == 2);
  SearchOptions options;
  options.holes = {HolePolicy::Kind::share, 0.25};
  const Holes holes = explore("1..1000", step(500), options).answer.holes;
  CHECK(holes.tried == 11);
  CHECK(*holes.excluded_share == Approx(0.2384).epsilon(0.01));
  CHECK_FALSE(explore("1..1000", step(500), without_holes()).answer.holes.excluded_share);
  const Holes all = explore("1..8", step(4), options).answer.holes;
  CHECK(all.tried == 8);
  CHECK(*all.excluded_share == 0);
}

TEST_CASE("threshold: random probes differ with the seed and only with it", "[search]") {
  SearchOptions options, other;
  options.holes = other.holes = {HolePolicy::Kind::share, 0.1};
  other.seed = 1;
  const auto tried = [](const SearchOptions& with) { return explore("1..100000", step(500), with).tried; };
  CHECK(tried(options) == tried(options));
  CHECK(tried(options) != tried(other));
}

TEST_CASE("threshold: alternate verdicts that random probes see are not answered", "[search]") {
  SearchOptions options;
  options.holes = {HolePolicy::Kind::share, 0.1};
  for (unsigned seed = 0; seed < 50; ++seed) {
    options.seed = seed;
    const Course course = explore(
        "1..1000", [](Position at, int) { return at % 2 ? bad() : good(); }, options);
    REQUIRE(course.ended);
    CHECK_FALSE(course.answer.answered);
    CHECK(warns(course.answer, "try explain"));
    CHECK(course.trials < 200);
  }
}

TEST_CASE("threshold: a withdrawn ask is asked again and is no evidence", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "1..100"), {});
  REQUIRE(search->ask(1) == std::vector<Point>{{0}});
  search->withdraw({0});
  CHECK(search->ask(1) == std::vector<Point>{{0}});
  CHECK(search->answer().kind == AnswerKind::none);
}

TEST_CASE("threshold: implied probes in flight are cancelled", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "0..100"), {});
  search->tell({0}, good());
  search->tell({100}, bad());
  const auto points = search->ask(3);
  REQUIRE(points.size() == 3);
  CHECK(search->tell(points[1], bad()) == std::vector<Point>{points[2]});
  CHECK(search->answer().kind == AnswerKind::bracket);
  CHECK(search->answer().first_bad == "50");
}

TEST_CASE("threshold: values off the axis are refused", "[search]") {
  const auto search = make_threshold(Axis::parse("n", "1..100"), {});
  CHECK_THROWS(search->tell({100}, good()));
  CHECK_THROWS(search->tell({-1}, good()));
  CHECK_THROWS(search->tell({1, 2}, good()));
}
