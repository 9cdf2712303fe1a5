#include <catch2/catch.hpp>

#include "harness/toolchain/toolchain.hpp"
#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

const std::filesystem::path kLogs = std::filesystem::path(BRINK_TEST_DATA) / "logs" / "dfc";

Toolchain dfc() { return load_toolchain(std::filesystem::path(BRINK_TOOLCHAINS) / "dfc.toml", {}); }

Outcome failed_at(const Rule& rule) { return exited(1, rule.stage.empty() ? "compile" : rule.stage); }

/// The topology sentence of `count` pairs, in the words of the compiler.
std::string topology(int layers) {
  const std::pair<int, const char*> inputs[] = {{2, "ew_add"}, {4, "ew_mult"}};
  std::string text = "Context-Partition topology error:";
  for (int layer = 0; layer < layers; ++layer) {
    for (const auto& [input, op] : inputs) {
      const int number = 5 * layer + (input == 2 ? 3 : 1);
      text += " S__tbt/input_layer" + std::to_string(input) +
              " (bucket_1) is in later context than its successor S__tbt/" + op + std::to_string(number) +
              " (bucket_0).";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("dfc rules: every rule has a sample that it names, and no rule before it claims", "[diagnosis]") {
  const Toolchain toolchain = dfc();
  REQUIRE(toolchain.rules.rules.size() > 20);
  for (const Rule& rule : toolchain.rules.rules) {
    INFO(rule.failure_class << " " << rule.sample);
    REQUIRE_FALSE(rule.sample.empty());
    REQUIRE(std::filesystem::exists(kLogs / rule.sample));
    const Diagnosis diagnosis = diagnose(toolchain.rules, failed_at(rule), kLogs / rule.sample);
    REQUIRE(diagnosis.failure.has_value());
    CHECK(diagnosis.failure->failure_class == rule.failure_class);
    CHECK(diagnosis.failure->signature.size() == 16);
  }
}

TEST_CASE("dfc rules: a rule alone names its own sample only", "[diagnosis]") {
  const Toolchain toolchain = dfc();
  for (const Rule& rule : toolchain.rules.rules) {
    Rules alone;
    alone.rules = {rule};
    for (const Rule& other : toolchain.rules.rules) {
      if (other.sample == rule.sample) continue;
      INFO(rule.failure_class << " against " << other.sample);
      const Diagnosis diagnosis = diagnose(alone, failed_at(rule), kLogs / other.sample);
      REQUIRE(diagnosis.failure.has_value());
      // A native crash is told by the allocator's exception, too, whose words another class may share.
      CHECK(diagnosis.failure->failure_class != rule.failure_class);
    }
  }
}

TEST_CASE("dfc rules: success logs of 3.x and 5.x are no failure", "[diagnosis]") {
  for (const char* name : {"success-3.log", "success-5.log"}) {
    const Diagnosis diagnosis = diagnose(dfc().rules, exited(0), kLogs / name);
    CHECK(diagnosis.kind == Diagnosis::Kind::succeeded);
    CHECK_FALSE(diagnosis.failure.has_value());
  }
}

TEST_CASE("dfc rules: a topology error becomes rows with layer and role", "[diagnosis]") {
  const Diagnosis diagnosis = diagnose(dfc().rules, exited(1), kLogs / "topology.log");
  REQUIRE(diagnosis.failure.has_value());
  const Failure& failure = *diagnosis.failure;
  REQUIRE(failure.conflicts.size() == 10);
  CHECK(failure.group == "tbt");
  CHECK(failure.cause == "context-partition topology: 5 shared inputs, layers 0 and 1, 10 conflicts");
  const Conflict& mask = failure.conflicts[1];
  CHECK(mask.node == "input_layer2");
  CHECK(mask.successor == "ew_add8");
  CHECK(mask.bucket == "bucket_1");
  CHECK(mask.successor_bucket == "bucket_0");
  CHECK(mask.layer == 1);
  CHECK(mask.role.find("mask") != std::string::npos);
}

TEST_CASE("dfc rules: wrapped at any column, the topology error is the same failure", "[diagnosis]") {
  const Rules rules = dfc().rules;
  const std::string message = topology(2);
  const Diagnosis whole = read("[error] " + message + "\n", exited(1), rules);
  REQUIRE(whole.failure.has_value());
  REQUIRE(whole.failure->conflicts.size() == 4);
  for (std::size_t column = 7; column < 160; ++column) {
    INFO("column " << column);
    std::string wrapped;
    for (std::size_t at = 0; at < message.size(); at += column) wrapped += message.substr(at, column) + "\n";
    const Diagnosis diagnosis = read("[error] " + wrapped, exited(1), rules);
    REQUIRE(diagnosis.failure.has_value());
    CHECK(diagnosis.failure->failure_class == "topology");
    CHECK(diagnosis.failure->conflicts == whole.failure->conflicts);
    CHECK(diagnosis.failure->signature == whole.failure->signature);
  }
}

TEST_CASE("dfc rules: the scope, the buckets and the numbers make no other failure; other nodes do",
          "[diagnosis]") {
  const Rules rules = dfc().rules;
  const auto signature = [&](const std::string& text) {
    return read(text, exited(1), rules).failure.value().signature;
  };
  std::string renamed = topology(2), moved = topology(2);
  for (std::size_t at; (at = renamed.find("S__tbt")) != std::string::npos;)
    renamed.replace(at, 6, "qwen__tbt");
  for (std::size_t at = 0; (at = moved.find("bucket_1", at)) != std::string::npos;)
    moved.replace(at, 8, "bucket_3");
  CHECK(signature(renamed) == signature(topology(2)));
  CHECK(signature(moved) == signature(topology(2)));
  std::string other = topology(2);
  for (std::size_t at = 0; (at = other.find("S__tbt/ew_mult", at)) != std::string::npos;)
    other.replace(at, 14, "S__tbt/conv");
  CHECK(signature(topology(1)) == signature(topology(2)));
  CHECK(signature(other) != signature(topology(2)));
}
