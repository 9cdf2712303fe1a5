#include <catch2/catch.hpp>
#include <random>

#include "harness/core/error.hpp"
#include "tests/unit/campaign/files.hpp"

using namespace brink;

namespace {

/// Loads it as both kinds of file: a value or an Error, nothing else.
void load_both(const Folder& folder, const std::string& text) {
  const auto file = folder.write("junk.toml", text);
  try {
    load_campaign(file, {folder.path()});
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(error.line().find('\n') == std::string::npos);
  }
  try {
    load_toolchain(file, {folder.path()});
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(error.line().find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("junk: changed bytes of a good file never do more than complain", "[campaign]") {
  const Folder folder;
  folder.write("dfc.toml", kToolchain);
  const std::string texts[] = {
      std::string(kHead) + kModel + "[options]\nlevel = 1\n[script]\nlines = [\"a\"]\n" + kDepth, kToolchain};
  std::mt19937 random(13);
  const std::string pieces[] = {"{",
                                "}",
                                "[",
                                "]",
                                "\"",
                                "'",
                                "=",
                                "\n",
                                ",",
                                "..",
                                "1e999",
                                "-1",
                                "\xff",
                                "nan",
                                "[[experiment]]\n",
                                "9223372036854775807",
                                "true",
                                "1979-05-27",
                                "{}",
                                std::string(1, '\0')};
  for (int round = 0; round < 3000; ++round) {
    std::string text = texts[round % 2];
    for (std::uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 8);
          break;
        case 1:
          text.insert(at, pieces[random() % std::size(pieces)]);
          break;
        default:
          text[at] = static_cast<char>(random() % 256);
      }
      if (text.empty()) text = " ";
    }
    CAPTURE(text);
    load_both(folder, text);
  }
}

TEST_CASE("junk: values of every type in every place never do more than complain", "[campaign]") {
  const Folder folder;
  folder.write("dfc.toml", kToolchain);
  const std::string values[] = {"4",          "-1",         "0.5",         "inf",       "true",
                                "\"\"",       "\"{\"",      "\"a\"",       "\"1..\"",   "[]",
                                "[[]]",       "[{}]",       "{}",          "{ a = 1 }", "{ a = \"b\" }",
                                "1979-05-27", "[1, \"a\"]", "\"\\u0000\"", "\"\\n\""};
  const std::string texts[] = {
      std::string(kHead) + "target = \"any\"\nlimits = {}\nbudget = {}\nslots = 1\n" + kModel +
          "[options]\nlevel = 1\n[script]\nlines = [\"a\"]\n" + kDepth +
          "at = {}\nknown = \"4=good\"\nholes = 0.3\nafter = \"x\"\nconfidence = 0.9\n",
      std::string(kToolchain) +
          "limits = {}\nresources = {}\nenvironment = {}\ninputs = {}\n"
          "[container]\nimage = \"i\"\nmounts = []\n"
          "[[rule]]\nclass = \"c\"\nmatch = \"m\"\ncapture = \"x\"\nrepeat = false\n"
          "[[early]]\nmatch = \"m\"\nverdict = \"bad\"\ndecides = []\n"
          "[[recoverable]]\nmatch = \"m\"\n"};
  for (const std::string& text : texts) {
    for (std::size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at + 3)) {
      if (text.rfind('\n', at) != std::string::npos && text.find('{', text.rfind('\n', at)) < at) continue;
      const std::size_t end = text.find('\n', at);
      for (const std::string& value : values) {
        const std::string changed = text.substr(0, at + 3) + value + text.substr(end);
        CAPTURE(changed);
        load_both(folder, changed);
      }
    }
  }
}
