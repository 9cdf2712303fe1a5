#include <catch2/catch.hpp>

#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;
using Kind = Diagnosis::Kind;

namespace {

Outcome ended(Ending ending) {
  Outcome outcome = exited(0);
  outcome.ending = ending;
  outcome.stages[0].ending = ending;
  outcome.stages[0].exit_code = std::nullopt;
  return outcome;
}

}  // namespace

TEST_CASE("outcome: exit codes mean what the contract says, unless they are listed", "[diagnosis]") {
  CHECK(read("", exited(0)).kind == Kind::succeeded);
  CHECK(read("", exited(125)).kind == Kind::skipped);
  CHECK(read("", exited(126)).kind == Kind::infrastructure);
  CHECK(read("", exited(127)).kind == Kind::infrastructure);
  CHECK(read("", exited(1)).kind == Kind::failed);
  Rules rules;
  rules.exit_codes.good = {0, 2};
  rules.exit_codes.bad = {127};
  rules.exit_codes.skip = {77};
  CHECK(read("", exited(2), rules).kind == Kind::succeeded);
  CHECK(read("", exited(127), rules).kind == Kind::failed);
  CHECK(read("", exited(77), rules).kind == Kind::skipped);
  CHECK(read("", exited(125), rules).kind == Kind::failed);
}

TEST_CASE("outcome: our limits, crashes and missing outputs have classes of their own", "[diagnosis]") {
  CHECK(read("", ended(Ending::timed_out)).failure.value().failure_class == "timeout");
  CHECK(read("", ended(Ending::out_of_memory)).failure.value().failure_class == "out-of-memory");
  Outcome crash = ended(Ending::signalled);
  crash.stages[0].signal = 11;
  CHECK(read("", crash).failure.value().failure_class == "crash");
  CHECK(read("", crash).failure->message.find("SIGSEGV") != std::string::npos);
  CHECK(read("", exited(139)).failure.value().failure_class == "crash");
  CHECK(read("", exited(245)).failure.value().failure_class == "crash");
  Outcome empty = exited(0);
  empty.stages[0].missing_outputs = {"model.hef"};
  CHECK(read("", empty).kind == Kind::failed);
  CHECK(read("", empty).failure.value().failure_class == "no-output");
  CHECK(read("", empty).failure->message.find("model.hef") != std::string::npos);
}

TEST_CASE("outcome: lost, cancelled and broken trials are never failures of the compiler", "[diagnosis]") {
  for (const Ending ending : {Ending::lost, Ending::cancelled, Ending::infrastructure}) {
    Outcome outcome = ended(ending);
    outcome.infrastructure = ending == Ending::infrastructure ? "disk-full" : "";
    const Diagnosis diagnosis = read("error: too deep\n", outcome);
    CHECK(diagnosis.kind == Kind::infrastructure);
    CHECK_FALSE(diagnosis.failure.value().failure_class == "error");
  }
}

TEST_CASE("outcome: a missing log reads as an empty one", "[diagnosis]") {
  CHECK(diagnose({}, exited(1), "/nowhere/log").failure.value().failure_class == "error");
}
