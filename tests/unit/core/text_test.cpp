#include "harness/core/text.hpp"

#include <catch2/catch.hpp>

#include "harness/core/quantity.hpp"
#include "harness/core/suggest.hpp"

using namespace brink;

TEST_CASE("text: bytes that are not UTF-8 are replaced, valid text stays", "[core]") {
  CHECK(to_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(to_utf8("a\xff\xc3") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(to_utf8("\xc0\xaf") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(to_utf8("\xed\xa0\x80").find('\xed') == std::string::npos);
}

TEST_CASE("text: nothing that moves a cursor reaches a terminal", "[core]") {
  CHECK(for_terminal("a\x1b[31mb\r\n\x07") == "a\\x1b[31mb\\x0d\\x0a\\x07");
  CHECK(for_terminal("a\n\tb", true) == "a\n\tb");
  CHECK(for_terminal("\xc2\x9b") == "\\x9b");
  CHECK(for_terminal("\xe2\x80\xae") == "\\u{202e}");
  CHECK(for_terminal("\xff") == "\\xff");
  for (int byte = 0; byte < 256; ++byte)
    for (const char c : for_terminal(std::string(1, static_cast<char>(byte)))) CHECK((c >= 0x20 && c < 0x7f));
}

TEST_CASE("text: shortening never cuts a character in two", "[core]") {
  CHECK(shorten("abc", 3) == "abc");
  CHECK(shorten("\xc3\xa9\xc3\xa9\xc3\xa9", 6) == "\xc3\xa9\xc3\xa9\xc3\xa9");
  CHECK(shorten("\xc3\xa9\xc3\xa9\xc3\xa9", 5) == "\xc3\xa9…");
  CHECK(shorten("\xc3\xa9\xc3\xa9\xc3\xa9", 4) == "…");
}

TEST_CASE("text: a command is shown as a shell would take it", "[core]") {
  CHECK(shell_text({"g++", "-I/x", "a b", "", "it's"}) == "g++ -I/x 'a b' '' 'it'\\''s'");
}

TEST_CASE("quantity: durations and sizes are read with their units, or not at all", "[core]") {
  using std::chrono::milliseconds;
  CHECK(parse_duration("90s") == milliseconds(90'000));
  CHECK(parse_duration("1.5h") == milliseconds(5'400'000));
  CHECK(parse_duration("250ms") == milliseconds(250));
  CHECK(parse_duration("90") == milliseconds(90'000));
  CHECK(parse_bytes("4GiB") == 4ULL << 30);
  CHECK(parse_bytes("2GB") == 2'000'000'000ULL);
  for (const char* text : {"", "s", "-1s", "1x", "1 2s", "nan", "1e3s", "99999999999999999999d"})
    CHECK_FALSE(parse_duration(text).has_value());
  for (const char* text : {"", "-1", "GiB", "1QiB", "99999999999TiB"})
    CHECK_FALSE(parse_bytes(text).has_value());
}

TEST_CASE("suggest: a slip is recognised, nonsense is not", "[core]") {
  const std::vector<std::string> known{"threshold", "sweep", "report"};
  CHECK(nearest_word("treshold", known) == "threshold");
  CHECK(nearest_word("reprot", known) == "report");
  CHECK(nearest_word("xyzzy", known).empty());
  CHECK(did_you_mean("xyzzy", known) == "; known: threshold, sweep, report");
}
