#include <catch2/catch.hpp>

#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

Diagnosis failed(const std::string& failure_class, const std::string& group = "") {
  Diagnosis diagnosis;
  diagnosis.kind = Diagnosis::Kind::failed;
  diagnosis.failure = Failure{};
  diagnosis.failure->failure_class = failure_class;
  diagnosis.failure->group = group;
  diagnosis.failure->signature = "0123456789abcdef";
  return diagnosis;
}

Judgement judged(const Diagnosis& diagnosis, const Target& target, const std::string& log = "") {
  const Folder folder;
  return judge(exited(1), diagnosis, target, folder.write(log));
}

Target of_class(const std::string& name, const std::string& group = "") {
  return {Target::Kind::failure_class, name, group};
}

}  // namespace

TEST_CASE("judge: any failure is bad for any; only the target's is bad for a target", "[diagnosis]") {
  CHECK(judged(failed("topology"), {}).verdict == Verdict::bad);
  CHECK(judged(failed("topology"), of_class("topology")).verdict == Verdict::bad);
  const Judgement other = judged(failed("too-many-scs"), of_class("topology"));
  CHECK(other.verdict == Verdict::skip);
  CHECK(other.evidence);
  CHECK(other.why == "other failure: too-many-scs");
}

TEST_CASE("judge: the same failure in another network group is another failure", "[diagnosis]") {
  CHECK(judged(failed("topology", "tbt"), of_class("topology", "tbt")).verdict == Verdict::bad);
  CHECK(judged(failed("topology", "prefill"), of_class("topology", "tbt")).verdict == Verdict::skip);
}

TEST_CASE("judge: a signature may be given by six digits or more", "[diagnosis]") {
  const auto with = [](const std::string& hex) { return Target{Target::Kind::signature, hex, ""}; };
  CHECK(judged(failed("x"), with("012345")).verdict == Verdict::bad);
  CHECK(judged(failed("x"), with("0123456789ABCDEF")).verdict == Verdict::bad);
  CHECK(judged(failed("x"), with("01234")).verdict == Verdict::skip);
  CHECK(judged(failed("x"), with("ffffff")).verdict == Verdict::skip);
}

TEST_CASE("judge: a match looks into the log", "[diagnosis]") {
  const Target target = parse_target("MemoryError");
  CHECK(judged(failed("error"), target, "x\nMemoryError\n").verdict == Verdict::bad);
  CHECK(judged(failed("error"), target, "x\nRecursionError\n").verdict == Verdict::skip);
}

TEST_CASE("judge: a limit is bad for any and slippage for every other target", "[diagnosis]") {
  for (const char* name : {"timeout", "out-of-memory"}) {
    CHECK(judged(failed(name), {}).verdict == Verdict::bad);
    CHECK(judged(failed(name), of_class("topology")).verdict == Verdict::skip);
    CHECK(judged(failed(name), parse_target("x"), "x\n").verdict == Verdict::skip);
  }
}

TEST_CASE("judge: what broke on our side is no evidence", "[diagnosis]") {
  Diagnosis diagnosis = failed("disk-full");
  diagnosis.kind = Diagnosis::Kind::infrastructure;
  CHECK_FALSE(judged(diagnosis, {}).evidence);
}

TEST_CASE("judge: an early end is evidence for the targets that its pattern decides", "[diagnosis]") {
  Outcome outcome = exited(0);
  outcome.ending = Ending::stopped_early;
  outcome.stages[0].early_verdict = "good";
  outcome.stages[0].early_decides = {"topology"};
  const Diagnosis passed;
  CHECK(judge(outcome, passed, of_class("topology"), "").evidence);
  CHECK(judge(outcome, passed, of_class("topology"), "").verdict == Verdict::good);
  CHECK_FALSE(judge(outcome, passed, {}, "").evidence);
  outcome.stages[0].early_verdict = "bad";
  CHECK(judge(outcome, failed("topology"), {}, "").verdict == Verdict::bad);
  CHECK(judge(outcome, failed("topology"), of_class("topology"), "").verdict == Verdict::bad);
}
