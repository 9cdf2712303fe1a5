#include "harness/toolchain/plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "tests/unit/toolchain/folder.hpp"

using namespace brink;

namespace {

/// A one-liner in a folder with its program and an input.
struct OneLiner {
  Folder folder;
  Toolchain toolchain = command_toolchain({"bash", "try.sh", "{n}", "input.c"}, {});
  PlanInputs inputs;

  OneLiner() {
    folder.write("bin/bash", "#!/bin/sh\n", 0755);
    folder.write("here/try.sh", "exit 0\n");
    folder.write("here/input.c", "int x;\n");
    inputs.config.values = {{"n", "5"}};
    inputs.varying = {"n"};
    inputs.directory = folder.path() / "here";
    inputs.directory_key = "here";
    inputs.folder = folder.path() / "trials" / "1";
    inputs.base_environment = {{"PATH", (folder.path() / "bin").string()}, {"HOME", "/root"}};
    inputs.identity = {{"toolchain identity", "bash 5"}};
  }
  TrialPlan plan() {
    FileDigests digests;
    return plan_trial(toolchain, inputs, digests);
  }
};

/// Names of the parts in which two plans differ.
std::vector<std::string> difference(const TrialPlan& a, const TrialPlan& b) {
  std::vector<std::string> names;
  for (const auto* pair : {&a, &b}) {
    const auto& other = pair == &a ? b : a;
    for (const KeyPart& part : pair->parts)
      if (std::find(other.parts.begin(), other.parts.end(), part) == other.parts.end() &&
          std::find(names.begin(), names.end(), part.name) == names.end())
        names.push_back(part.name);
  }
  return names;
}

using Names = std::vector<std::string>;

/// Two stages that hand a file over, with a parameter, a model and a script.
Toolchain two_stages() {
  Toolchain toolchain;
  toolchain.name = "dfc";
  toolchain.folder = "/opt/toolchains";
  toolchain.needs = {"model"};
  Parameter level;
  level.name = "level";
  level.fallback = "0";
  toolchain.parameters = {level};
  Stage parse;
  parse.name = "parse";
  parse.argv = {"parser", "{model}", "{out.har}"};
  parse.outputs = {{"har", "parsed.har"}};
  Stage compile;
  compile.name = "compile";
  compile.argv = {"compiler", "{in.har}", "{script}", "{out.hef}", "{dir}"};
  compile.inputs = {{"har", "parse.har"}};
  compile.outputs = {{"hef", "model.hef"}};
  compile.depends = {"level"};
  toolchain.stages = {parse, compile};
  return toolchain;
}

PlanInputs inputs_of_two_stages() {
  PlanInputs inputs;
  inputs.config.values = {{"level", "0"}, {"layers", "4"}};
  inputs.varying = {"layers"};
  inputs.script = "a\n";
  inputs.model = "/store/artifacts/models/x";
  inputs.model_key = "model-x";
  inputs.folder = "/store/trials/1";
  return inputs;
}

TrialPlan plan_of(const Toolchain& toolchain, const PlanInputs& inputs) {
  FileDigests digests;
  return plan_trial(toolchain, inputs, digests);
}

}  // namespace

TEST_CASE("plan: a command is one stage in the caller's folder", "[toolchain]") {
  OneLiner line;
  line.inputs.limits.wall = std::chrono::seconds(90);
  const TrialPlan plan = line.plan();
  REQUIRE(plan.stages.size() == 1);
  const JobStage& job = plan.stages[0].job;
  CHECK(job.argv == Names{"bash", "try.sh", "5", "input.c"});
  CHECK(job.directory == line.folder.path() / "here");
  CHECK(job.environment == line.inputs.base_environment);
  CHECK(job.limits.wall == std::chrono::seconds(90));
  REQUIRE(plan.watched.size() == 3);
  CHECK(plan.watched[0].file == line.folder.path() / "bin/bash");
  CHECK(plan.watched[1].file == line.folder.path() / "here/try.sh");
}

TEST_CASE("plan: the same config has the same key from another trial's folder", "[toolchain]") {
  OneLiner line;
  const TrialPlan first = line.plan();
  line.inputs.folder = line.folder.path() / "trials" / "2";
  CHECK(line.plan().key == first.key);
  CHECK(line.plan().stages[0].key == first.stages[0].key);

  PlanInputs inputs = inputs_of_two_stages();
  const TrialPlan staged = plan_of(two_stages(), inputs);
  inputs.folder = "/elsewhere/trials/77";
  inputs.model = "/elsewhere/models/x";
  Toolchain moved = two_stages();
  moved.folder = "/moved";
  CHECK(plan_of(moved, inputs).key == staged.key);
}

TEST_CASE("plan: PATH, HOME and limits are not in the key", "[toolchain]") {
  OneLiner line;
  const TrialPlan first = line.plan();
  line.inputs.base_environment["PATH"] += ":/nowhere";
  line.inputs.base_environment["HOME"] = "/home/other";
  line.inputs.limits.wall = std::chrono::seconds(1);
  line.inputs.limits.memory_bytes = 1;
  CHECK(line.plan().key == first.key);
  CHECK(line.plan().stages[0].job.environment.at("HOME") == "/home/other");
}

TEST_CASE("plan: what can change the outcome changes the key, and the parts say what", "[toolchain]") {
  OneLiner line;
  const TrialPlan first = line.plan();
  const auto differs = [&] {
    const TrialPlan other = line.plan();
    CHECK(other.key != first.key);
    CHECK(other.stages[0].key != first.stages[0].key);
    return difference(first, other);
  };
  SECTION("value") {
    line.inputs.config.values["n"] = "6";
    CHECK(differs() == Names{"arguments"});
    CHECK(line.plan().family == first.family);
  }
  SECTION("directory") {
    line.inputs.directory_key = "there";
    CHECK(differs() == Names{"directory"});
    CHECK(line.plan().family != first.family);
  }
  SECTION("bytes of the program") {
    line.folder.write("bin/bash", "#!/bin/sh\n\n", 0755);
    CHECK(differs() == Names{"program bash"});
  }
  SECTION("bytes of an argument") {
    line.folder.write("here/input.c", "int y;\n");
    CHECK(differs() == Names{"file input.c"});
  }
  SECTION("no such program") {
    line.inputs.base_environment["PATH"] = "/nowhere";
    CHECK(differs() == Names{"program bash"});
    CHECK(line.plan().parts[2].value == "not found");
  }
  SECTION("environment") {
    line.toolchain.environment["A"] = "1";
    CHECK(differs() == Names{"environment A"});
  }
  SECTION("passed environment") {
    line.toolchain.pass_environment = {"TOKEN"};
    line.inputs.passed_environment = {{"TOKEN", "secret"}};
    CHECK(differs() == Names{"environment TOKEN"});
    for (const KeyPart& part : line.plan().parts) CHECK(part.value.find("secret") == std::string::npos);
    CHECK(line.plan().stages[0].job.environment.at("TOKEN") == "secret");
  }
  SECTION("identity") {
    line.inputs.identity[0].value = "bash 6";
    CHECK(differs() == Names{"toolchain identity"});
  }
}

TEST_CASE("plan: a literal brace is no placeholder in the key", "[toolchain]") {
  Toolchain toolchain = two_stages();
  const TrialPlan placeholder = plan_of(toolchain, inputs_of_two_stages());
  toolchain.stages[1].argv[4] = "{{dir}}";
  CHECK(plan_of(toolchain, inputs_of_two_stages()).key != placeholder.key);
}

TEST_CASE("plan: where arguments end is in the key", "[toolchain]") {
  OneLiner line;
  line.toolchain.stages[0].argv = {"bash", "a b"};
  const TrialPlan one = line.plan();
  line.toolchain.stages[0].argv = {"bash", "a", "b"};
  CHECK(line.plan().key != one.key);
}

TEST_CASE("plan: a file that a trial made is no input", "[toolchain]") {
  OneLiner line;
  line.toolchain.stages[0].argv = {"bash", "made.o", "-o", "out.o"};
  FileDigests digests;
  const TrialPlan before = plan_trial(line.toolchain, line.inputs, digests);
  line.folder.write("here/made.o", "x");
  line.folder.write("here/out.o", "x");
  CHECK(plan_trial(line.toolchain, line.inputs, digests).key == before.key);
  FileDigests later;
  const TrialPlan after = plan_trial(line.toolchain, line.inputs, later);
  CHECK(difference(before, after) == Names{"file made.o"});
  REQUIRE(after.watched.size() == 2);
}

TEST_CASE("plan: stages hand their outputs over", "[toolchain]") {
  const TrialPlan plan = plan_of(two_stages(), inputs_of_two_stages());
  REQUIRE(plan.stages.size() == 2);
  CHECK(plan.stages[0].job.argv ==
        Names{"parser", "/store/artifacts/models/x", "/store/trials/1/out/parsed.har"});
  CHECK(plan.stages[1].job.argv == Names{"compiler", "/store/trials/1/out/parsed.har",
                                         "/store/trials/1/script.alls", "/store/trials/1/out/model.hef",
                                         "/store/trials/1/work"});
  CHECK(plan.stages[1].job.directory == "/store/trials/1/work");
  CHECK(plan.stages[1].inputs == std::vector<std::filesystem::path>{"/store/trials/1/out/parsed.har"});
  CHECK(plan.stages[1].job.outputs == std::vector<std::filesystem::path>{"/store/trials/1/out/model.hef"});
  CHECK(plan.stages[0].outputs.at("har") == "/store/trials/1/out/parsed.har");
}

TEST_CASE("plan: a stage's key holds what it can see, no more", "[toolchain]") {
  const Toolchain toolchain = two_stages();
  PlanInputs inputs = inputs_of_two_stages();
  const TrialPlan first = plan_of(toolchain, inputs);
  const auto changed = [&] {
    const TrialPlan other = plan_of(toolchain, inputs);
    CHECK(other.key != first.key);
    return std::make_pair(other.stages[0].key != first.stages[0].key,
                          other.stages[1].key != first.stages[1].key);
  };
  SECTION("the script is read by the second only") {
    inputs.script = "b\n";
    CHECK(changed() == std::make_pair(false, true));
  }
  SECTION("an option that only the second depends on") {
    inputs.config.values["level"] = "1";
    CHECK(changed() == std::make_pair(false, true));
  }
  SECTION("the model reaches the second through the first") {
    inputs.model_key = "model-y";
    CHECK(changed() == std::make_pair(true, true));
    CHECK(plan_of(toolchain, inputs).family == first.family);
  }
  SECTION("an axis that no stage names is in no key of its own") {
    inputs.config.values["layers"] = "5";
    CHECK(plan_of(toolchain, inputs).key == first.key);
  }
}

TEST_CASE("plan: early patterns and limits go to their stage", "[toolchain]") {
  Toolchain toolchain = two_stages();
  toolchain.early = {{"boom", "bad", {"topology"}, "compile"}, {"everywhere", "bad", {}, ""}};
  toolchain.stages[1].limits.wall = std::chrono::hours(6);
  toolchain.stages[1].limits.memory_bytes = 7;
  const TrialPlan plan = plan_of(toolchain, inputs_of_two_stages());
  CHECK(plan.stages[0].job.early.size() == 1);
  CHECK(plan.stages[1].job.early.size() == 2);
  CHECK(plan.stages[0].job.limits.wall == std::chrono::hours(24));
  CHECK(plan.stages[1].job.limits.wall == std::chrono::hours(6));
  CHECK(plan.stages[1].job.limits.memory_bytes == 7);
}

TEST_CASE("plan: inside a container only what the mounts bring in is digested", "[toolchain]") {
  Folder folder;
  folder.write("driver.py", "print(1)\n");
  Toolchain toolchain = two_stages();
  toolchain.folder = folder.path();
  toolchain.container = ContainerOptions{};
  toolchain.container->image = "dfc";
  toolchain.container->mounts = {"{toolchain}:/brink/toolchain:ro"};
  toolchain.stages[0].argv = {"sh", "/brink/toolchain/driver.py", "/etc/passwd"};
  const TrialPlan first = plan_of(toolchain, inputs_of_two_stages());
  REQUIRE(first.watched.size() == 1);
  CHECK(first.watched[0].file == folder.path() / "driver.py");
  folder.write("driver.py", "print(2)\n");
  CHECK(difference(first, plan_of(toolchain, inputs_of_two_stages())) ==
        Names{"parse: file /brink/toolchain/driver.py"});

  toolchain.container->image = "";
  toolchain.container->rootfs = "/";
  const TrialPlan in_root = plan_of(toolchain, inputs_of_two_stages());
  CHECK(std::any_of(in_root.watched.begin(), in_root.watched.end(),
                    [](const WatchedFile& file) { return file.file == "/etc/passwd"; }));
  CHECK(std::any_of(in_root.parts.begin(), in_root.parts.end(), [](const KeyPart& part) {
    return part.name == "parse: program sh" && part.value != "not found";
  }));
}

TEST_CASE("plan: in a one-liner all names are free for axes", "[toolchain]") {
  OneLiner line;
  line.toolchain.stages[0].argv = {"bash", "{dir}", "{script}"};
  line.inputs.config.values = {{"dir", "1"}, {"script", "2"}};
  CHECK(line.plan().stages[0].job.argv == Names{"bash", "1", "2"});
  line.toolchain.stages[0].argv = {"bash", "{dirr}"};
  CHECK_THROWS_AS(line.plan(), Error);
}

TEST_CASE("plan: an input is found by stage and name, or by file", "[toolchain]") {
  const auto stages = two_stages().stages;
  CHECK(producer_of(stages, 1, "parse.har") == Producer{0, "har"});
  CHECK(producer_of(stages, 1, "parsed.har") == Producer{0, "har"});
  CHECK_FALSE(producer_of(stages, 0, "parsed.har"));
  CHECK_FALSE(producer_of(stages, 1, "model.hef"));
}
