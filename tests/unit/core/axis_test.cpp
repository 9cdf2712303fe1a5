#include "harness/core/axis.hpp"

#include <catch2/catch.hpp>

#include "harness/core/error.hpp"

using namespace brink;

namespace {

std::string complaint(const std::string& text) {
  try {
    Axis::parse("n", text);
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

std::vector<std::string> values(const Axis& axis) {
  std::vector<std::string> all;
  for (Position at = 0; at < axis.size(); ++at) all.push_back(axis.value(at));
  return all;
}

}  // namespace

TEST_CASE("number: canonical decimal text goes both ways, anything else is text", "[core]") {
  for (const char* text : {"0", "-1", "7", "18446744073709551615", "-9223372036854775808"})
    CHECK(to_text(parse_int(text).value()) == text);
  for (const char* text : {"", "-", "+1", "01", "-0", " 1", "1 ", "1.0", "18446744073709551616",
                           "-9223372036854775809", "99999999999999999999999"})
    CHECK_FALSE(parse_int(text).has_value());
}

TEST_CASE("axis: every form has the values that its grammar says", "[core]") {
  using Values = std::vector<std::string>;
  CHECK(values(Axis::parse("n", "3..6")) == Values{"3", "4", "5", "6"});
  CHECK(values(Axis::parse("n", "1..10..4")) == Values{"1", "5", "9"});
  CHECK(values(Axis::parse("n", "3..20:log2")) == Values{"3", "6", "12", "20"});
  CHECK(values(Axis::parse("n", "4..16:log2")) == Values{"4", "8", "16"});
  CHECK(values(Axis::parse("n", "1..3:down")) == Values{"3", "2", "1"});
  CHECK(values(Axis::parse("n", "1..10..4:down")) == Values{"9", "5", "1"});
  CHECK(values(Axis::parse("n", "2..8:log2:down")) == Values{"8", "4", "2"});
  CHECK(values(Axis::parse("n", "7,b,1")) == Values{"7", "b", "1"});
  CHECK(values(Axis::parse("n", "5")) == Values{"5"});
}

TEST_CASE("axis: value and position are inverse, and text gives the axis back", "[core]") {
  for (const char* text : {"-5..5", "1..10..4", "3..20:log2", "1..9:down", "x,y,z", "0..18446744073709551615",
                           "-9223372036854775808..18446744073709551615", "7.."}) {
    const Axis axis = Axis::parse("n", text);
    CHECK(Axis::parse("n", axis.text()).text() == axis.text());
    for (const Position at : {Position{0}, axis.size() / 2, axis.size() - 1})
      CHECK(axis.position(axis.value(at)) == at);
    CHECK_FALSE(axis.position("nowhere").has_value());
  }
  CHECK_FALSE(Axis::parse("n", "1..10..4").position("2").has_value());
  CHECK_FALSE(Axis::parse("n", "1..10..4").position("01").has_value());
}

TEST_CASE("axis: the widest range has 2^64 + 2^63 values", "[core]") {
  const Axis axis = Axis::parse("n", "-9223372036854775808..18446744073709551615");
  CHECK(axis.size() == (Int{1} << 64) + (Int{1} << 63));
  CHECK(axis.value(axis.size() - 1) == "18446744073709551615");
}

TEST_CASE("axis: a range that does not end on its grid says where it ends", "[core]") {
  CHECK(Axis::parse("n", "1..10..4").remark().value().find("ends at 9") != std::string::npos);
  CHECK_FALSE(Axis::parse("n", "1..9..4").remark().has_value());
}

TEST_CASE("axis: bad text gets one clear line", "[core]") {
  CHECK(complaint("8..4").find("first 8 is greater than last 4") != std::string::npos);
  for (const char* text :
       {"", "1..2..0", "1..2..-1", "a..b", "1..x", "1..2..3..4", "1..9:log", "0..9:log2", "..5",
        "1..9:", "1..:down", "1..:log2", "x,x", "1..2..2:log2", "1..18446744073709551616"})
    CHECK(complaint(text).rfind("axis n: ", 0) == 0);
}
