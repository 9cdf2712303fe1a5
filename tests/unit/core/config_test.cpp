#include "harness/core/config.hpp"

#include <catch2/catch.hpp>

#include "harness/core/error.hpp"

using namespace brink;

TEST_CASE("config: the canonical form is sorted, exact, and can be read back", "[core]") {
  Config config;
  config.values = {{"n", "18446744073709551615"}, {"b", "-9223372036854775808"}, {"a", "x\"y"}, {"z", "007"}};
  CHECK(config.canonical() == R"({"a":"x\"y","b":-9223372036854775808,"n":18446744073709551615,"z":"007"})");
  CHECK(config_from_canonical(config.canonical()) == config);
}

TEST_CASE("config: what is not a config is refused", "[core]") {
  for (const char* text : {"", "[]", "{\"a\":1.5}", "{\"a\":null}", "{\"a\":{}}", "{"})
    CHECK_THROWS_AS(config_from_canonical(text), Error);
}

TEST_CASE("config: a point gives one value an axis", "[core]") {
  const std::vector<Axis> axes{Axis::parse("n", "1..9"), Axis::parse("m", "a,b")};
  CHECK(config_at(axes, {4, 1}).text() == "m=b n=5");
}
