#include <zstd.h>

#include <catch2/catch.hpp>
#include <random>

#include "harness/diagnosis/log.hpp"
#include "harness/diagnosis/strip.hpp"
#include "harness/diagnosis/windows.hpp"
#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

std::string compressed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

Rules one_rule(const std::string& match) {
  Rules rules;
  rules.rules = {Rule{"broken", "", match, "", false, {}, ""}};
  return rules;
}

std::string class_of(const std::string& text, const Rules& rules) {
  return read(text, exited(1), rules).failure.value().failure_class;
}

/// Many lines that say nothing, of different lengths.
std::string quiet(std::size_t bytes) {
  std::string text;
  for (std::size_t line = 0; text.size() < bytes; ++line)
    text += "[info] node " + std::to_string(line * line) + " placed\n";
  text.resize(bytes, '.');
  return text;
}

}  // namespace

TEST_CASE("log: a compressed log says what the plain one says, also when asked for by the other's name",
          "[diagnosis]") {
  const std::string text = quiet(700'000) + "\nerror: the shelf is full\n" + quiet(300'000);
  const Diagnosis plain = read(text, exited(1));
  const Folder folder;
  write_file(folder.path / "log.zst", compressed(text));
  CHECK(diagnose({}, exited(1), folder.path / "log") == plain);
  CHECK(diagnose({}, exited(1), folder.path / "log.zst") == plain);
  CHECK(log_matches(folder.path / "log", "shelf is full"));
}

TEST_CASE("log: a compressed log that was cut reads up to the cut", "[diagnosis]") {
  const Folder folder;
  const std::string bytes = compressed("error: the shelf is full\n" + quiet(2'000'000));
  write_file(folder.path / "log.zst", bytes.substr(0, bytes.size() / 2));
  CHECK(log_matches(folder.path / "log", "shelf is full"));
  write_file(folder.path / "log.zst", bytes.substr(0, 4) + std::string(5000, '\x7f'));
  CHECK_FALSE(log_matches(folder.path / "log", "shelf is full"));
}

TEST_CASE("log: a message is found wherever the border of a window cuts it", "[diagnosis]") {
  const std::string message = "the shelf number seven is full";
  const Rules rules = one_rule("shelf number seven is full");
  for (std::size_t before = 0; before <= message.size() + 2; ++before) {
    const std::string front = quiet(Windows::kSize - before);
    CHECK(class_of(front + message + quiet(50'000), rules) == "broken");
    CHECK(class_of(std::string(Windows::kSize - before, 'x') + message + std::string(50'000, 'y'), rules) ==
          "broken");
  }
}

TEST_CASE("log: a wildcard does not bind the words of different lines", "[diagnosis]") {
  CHECK(class_of("error: one\nall memory is fine\n", one_rule("error.*memory")) == "error");
  CHECK(class_of("error: no memory\n", one_rule("error.*memory")) == "broken");
  CHECK(class_of("[x] error: no mem\nory\n", one_rule("no memory")) == "broken");
  CHECK(class_of("[x] error: no\n   memory\n", one_rule("no memory")) == "broken");
}

TEST_CASE("log: a recoverable line is no failure, but the same words elsewhere are", "[diagnosis]") {
  Rules rules = one_rule("context error");
  rules.recoverable = {"Recoverable single context error"};
  CHECK(class_of("flow failed: Recoverable single context error\nerror: x\n", rules) == "error");
  CHECK(class_of("flow failed: Recoverable single context error\nfatal context error\n", rules) == "broken");
}

TEST_CASE("log: the first rule in order names the failure, not the first line", "[diagnosis]") {
  Rules rules = one_rule("cause");
  rules.rules.push_back(Rule{"symptom", "", "symptom", "", false, {}, ""});
  CHECK(class_of("symptom\n" + quiet(600'000) + "\ncause\n", rules) == "broken");
  rules.rules.front().stage = "parse";
  CHECK(class_of("symptom\n" + quiet(600'000) + "\ncause\n", rules) == "symptom");
}

TEST_CASE("strip: pieces of any size give the same lines", "[diagnosis]") {
  const std::string parts[] = {"text ",
                               "\x1b[31m",
                               "\x1b]0;title\x07",
                               "\r",
                               "\n",
                               "\xE2\x82\xAC",
                               "\xff",
                               "50%| bar |",
                               "\b",
                               std::string(20, ' '),
                               "[?25l",
                               "\x1b[2K",
                               "\t",
                               std::string(1, '\0')};
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (int count = 0; count < 60; ++count) bytes += parts[random() % std::size(parts)];
    Stripper stripper;
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + random() % 5;
      stripper.feed(std::string_view(bytes).substr(at, size), text);
      at += size;
    }
    stripper.finish(text);
    REQUIRE(text == strip(bytes));
  }
}

TEST_CASE("strip: what a person would see stays, and nothing else", "[diagnosis]") {
  CHECK(strip("\x1b[1;31merror:\x1b[0m deep\x1b[K\r\n") == "error: deep\n");
  CHECK(strip("10%|# |\r50%|## |\r100%|###|\ndone\n") == "100%|###|\ndone\n");
  CHECK(strip("a message\rspinner |\n") == "a message\nspinner |\n");
  CHECK(strip("[?25l[0;93mwarned[0m[?25h\n") == "warned\n");
  CHECK(strip("time [1m 44s] of [20]\n") == "time [1m 44s] of [20]\n");
  CHECK(strip("\x1b]0;never ended\nline\n") == "\nline\n");
  CHECK(strip("a" + std::string(200, ' ') + "b  c\n") == "a b  c\n");
  CHECK(strip(std::string("n\0u\0l\n", 6)) == "nul\n");
  CHECK(strip("caf\xC3\xA9 \xC3\n") == "caf\xC3\xA9 \xEF\xBF\xBD\n");
}
