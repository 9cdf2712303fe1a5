#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

const std::filesystem::path kLogs = std::filesystem::path(BRINK_TEST_DATA) / "logs" / "generic";

/// Logs of real compilers at different sizes. Those of one row are the same failure; rows differ from each
/// other.
struct Family {
  const char* failure_class;
  int exit_code;
  std::vector<const char*> logs;
  const char* words;  ///< in the message
};

const std::vector<Family> kFamilies{
    {"error", 1, {"gxx_depth_901.log", "gxx_depth_1400.log"}, "template instantiation depth exceeds maximum"},
    {"error",
     1,
     {"clang_bracket_257.log", "clang_bracket_600.log"},
     "bracket nesting level exceeded maximum"},
    {"error", 1, {"gxx_loop_262145.log", "gxx_loop_700000.log"}, "non-constant condition"},
    {"error", 1, {"python_recursion_3200.log", "python_recursion_5000.log"}, "RecursionError"},
    {"error", 1, {"python_memory_6500.log", "python_memory_7500.log"}, "MemoryError"},
    {"error", 1, {"gcc_aligned_3.log", "gcc_aligned_712.log"}, "is not a positive power of 2"},
    {"error", 1, {"gcc_asm_17.log", "gcc_asm_25.log"}, "operand has impossible constraints"},
    {"out-of-memory", 1, {"gcc_memory_3600.log", "gcc_memory_4000.log"}, "out of memory allocating"},
};

}  // namespace

TEST_CASE("generic: the same failure at another size has the same signature, other failures another",
          "[diagnosis]") {
  std::map<std::string, std::string> owner;
  for (const Family& family : kFamilies) {
    for (const char* log : family.logs) {
      INFO(log);
      REQUIRE(std::filesystem::exists(kLogs / log));
      const Diagnosis diagnosis = diagnose({}, exited(family.exit_code), kLogs / log);
      REQUIRE(diagnosis.failure.has_value());
      const Failure& failure = *diagnosis.failure;
      CHECK(failure.failure_class == family.failure_class);
      CHECK(failure.message.find(family.words) != std::string::npos);
      CHECK(failure.message.size() <= 500);
      const auto [known, fresh] = owner.emplace(failure.signature, family.logs.front());
      CHECK((fresh || known->second == family.logs.front()));
    }
  }
  CHECK(owner.size() == kFamilies.size());
}

TEST_CASE("generic: a compiler that crashed under its driver is a crash", "[diagnosis]") {
  for (const char* log : {"gxx_ice.log", "clang_crash.log"}) {
    INFO(log);
    REQUIRE(std::filesystem::exists(kLogs / log));
    const Diagnosis diagnosis =
        diagnose({}, exited(std::string(log) == "gxx_ice.log" ? 1 : 139), kLogs / log);
    CHECK(diagnosis.failure.value().failure_class == "crash");
  }
}

TEST_CASE("generic: without a message the exit code tells failures apart", "[diagnosis]") {
  std::set<std::string> signatures;
  for (const int code : {1, 2, 3, 42}) {
    const Failure failure = read("", exited(code)).failure.value();
    CHECK(failure.message.find(std::to_string(code)) != std::string::npos);
    signatures.insert(failure.signature);
  }
  CHECK(signatures.size() == 4);
}

TEST_CASE("generic: numbers, paths, addresses and times do not make another failure", "[diagnosis]") {
  const auto signature = [](const std::string& text) {
    return read(text, exited(1)).failure.value().signature;
  };
  const std::pair<const char*, const char*> same[] = {
      {"a.c:1:7: error: too deep (300)\n", "b.c:99:1: error: too deep (7)\n"},
      {"error: cannot open /tmp/abc/x.o\n", "error: cannot open /var/lib/x.o\n"},
      {"error: bad pointer 0x7ffe12\n", "error: bad pointer 0xdeadbeef00\n"},
      {"error: op %336 failed\n", "error: op %12 failed\n"},
      {"error: gave up after 3m 4s\n", "error: gave up after 1h 2m 39s\n"},
  };
  for (const auto& [one, other] : same) {
    INFO(one);
    CHECK(signature(one) == signature(other));
  }
  CHECK(signature("error: too deep\n") != signature("error: too wide\n"));
}

TEST_CASE("generic: a warning worth storing and a stand-in's banner are noted", "[diagnosis]") {
  const Diagnosis diagnosis =
      read("[info] sdk 5.3: this is a stand-in\n[warning] Reducing optimization level to 0 because x\n",
           exited(0));
  CHECK(diagnosis.stand_in);
  REQUIRE(diagnosis.notes.size() == 1);
  CHECK(diagnosis.notes[0].find("Reducing optimization level to 0") != std::string::npos);
  CHECK_FALSE(read("nothing\n", exited(0)).stand_in);
}
