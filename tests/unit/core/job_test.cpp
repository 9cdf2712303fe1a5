#include "harness/core/job.hpp"

#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "harness/core/outcome.hpp"
#include "harness/core/verdict.hpp"

using namespace brink;

TEST_CASE("job: JSON gives back every field", "[core]") {
  Job job;
  job.trial = "7";
  job.attempt = "abc";
  job.folder = "/s/trials/7";
  job.keep = {"error: .*"};
  job.watched = {{"/bin/sh", 1, 2, 3, 4}};
  JobStage stage;
  stage.name = "compile";
  stage.argv = {"a", "", "c d"};
  stage.environment = {{"A", "1"}};
  stage.directory = "/w";
  stage.limits.idle = std::chrono::milliseconds(5);
  stage.limits.memory_bytes = 1ULL << 40;
  stage.limits.address_space_bytes = 9;
  stage.outputs = {"/w/out"};
  stage.success = {0, 2};
  stage.early = {{"x", "bad", {"topology"}, "compile"}};
  stage.container = ContainerHandle{"/usr/bin/podman", "brink-7", "/s/cid", "/brink", {{"HOME", "/"}}};
  job.stages = {stage};
  const Job read = job_from_json(job_to_json(job));
  CHECK(job_to_json(read) == job_to_json(job));
  CHECK(read.stages[0].limits.memory_bytes == 1ULL << 40);
  CHECK(read.stages[0].container->name == "brink-7");
  CHECK(read.stages[0].early == stage.early);
}

TEST_CASE("job and outcome: anything else is refused, never guessed", "[core]") {
  for (const char* text : {"", "{}", "[]", "{\"schema\":2}", "{\"schema\":1,\"trial\":5}", "\xff"}) {
    CHECK_THROWS_AS(job_from_json(text), Error);
    CHECK_THROWS_AS(outcome_from_json(text), Error);
  }
}

TEST_CASE("outcome: JSON gives back every field", "[core]") {
  Outcome outcome;
  outcome.trial = "7";
  outcome.attempt = "abc";
  outcome.ending = Ending::out_of_memory;
  outcome.message = "killed";
  outcome.wall_s = 1.5;
  outcome.peak_memory_bytes = 1ULL << 41;
  outcome.enforced = {"wall"};
  StageOutcome stage;
  stage.name = "run";
  stage.ending = Ending::signalled;
  stage.signal = 9;
  stage.killed_by = "memory";
  stage.missing_outputs = {"x"};
  stage.early_pattern = 1;
  outcome.stages = {stage};
  CHECK(outcome_from_json(outcome_to_json(outcome)) == outcome);
}

TEST_CASE("target: text and value are inverse, and a bare word is a match", "[core]") {
  for (const char* text : {"any", "class:topology", "signature:00ff00ff00ff00ff", "match:MemoryError|x"})
    CHECK(target_text(parse_target(text)) == text);
  CHECK(parse_target("MemoryError") == parse_target("match:MemoryError"));
  CHECK(parse_target("") == Target{});
}
