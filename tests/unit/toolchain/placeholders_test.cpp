#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "harness/toolchain/placeholders.hpp"
#include "harness/toolchain/plan.hpp"

using namespace brink;

namespace {

std::string complaint(const std::string& text, const std::map<std::string, std::string>& values) {
  try {
    fill(text, values);
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

}  // namespace

TEST_CASE("placeholders: values are filled in, doubled braces are braces", "[toolchain]") {
  const std::map<std::string, std::string> values{{"n", "5"}, {"in.har", "/t/parsed.har"}};
  CHECK(fill("{n}", values) == "5");
  CHECK(fill("a{n}b{n}c", values) == "a5b5c");
  CHECK(fill("{{n}}", values) == "{n}");
  CHECK(fill("{{{n}}}", values) == "{5}");
  CHECK(fill("{in.har}", values) == "/t/parsed.har");
  CHECK(fill("", values).empty());
}

TEST_CASE("placeholders: a value is never read as a template again", "[toolchain]") {
  CHECK(fill("{a}", {{"a", "{b}"}, {"b", "x"}}) == "{b}");
}

TEST_CASE("placeholders: each is named once, in order", "[toolchain]") {
  CHECK(placeholders("{m}-{n}-{m}{{k}}") == std::vector<std::string>{"m", "n"});
}

TEST_CASE("placeholders: every complaint says what would be right", "[toolchain]") {
  CHECK(complaint("{nn}", {{"n", "1"}}) == "unknown placeholder {nn}; did you mean {n}?");
  CHECK(complaint("{depth}", {{"n", "1"}, {"m", "1"}}) == "unknown placeholder {depth}; known: {m} {n}");
  CHECK(complaint("{print $1}", {{"n", "1"}}) ==
        "unknown placeholder {print $1}; write {{ and }} for braces");
  CHECK(complaint("a{n", {{"n", "1"}}) == "\"a{n\" has a { that is not closed; write {{ for a brace");
  CHECK(complaint("a}", {{"n", "1"}}) == "\"a}\" has a } that closes nothing; write }} for a brace");
  CHECK(complaint("{}", {{"n", "1"}}) == "unknown placeholder {}; write {{ and }} for braces");
}

TEST_CASE("placeholders: doubled braces survive filling", "[toolchain]") {
  const std::string text = "a{b}}c{{";
  CHECK(fill(with_doubled_braces(text), {}) == text);
}
