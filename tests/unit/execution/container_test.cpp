#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/text.hpp"
#include "harness/execution/container.hpp"
#include "harness/execution/engine.hpp"
#include "harness/execution/stage_fault.hpp"
#include "tests/unit/execution/trial.hpp"

using namespace brink;
using namespace brink::test;

namespace {

JobStage contained() {
  JobStage stage;
  stage.name = "compile";
  stage.container.emplace();
  return stage;
}

ContainerState ran(int exit_code) {
  ContainerState state;
  state.started = true;
  state.exit_code = exit_code;
  return state;
}

bool has(const std::vector<std::string>& argv, const std::string& argument) {
  return std::find(argv.begin(), argv.end(), argument) != argv.end();
}

/// An engine that works, or nullopt with a word to the reader: containers need a store of our own.
std::optional<Engine> private_engine(const ContainerOptions& options) {
  if (std::getenv("CONTAINERS_CONF") != nullptr) return open_engine(options);
  WARN("no private podman store (tests/interop/podman_up.sh): skipped");
  return std::nullopt;
}

ContainerOptions image() {
  ContainerOptions options;
  options.engine = "podman";
  options.image = "localhost/dfc-gfx906:5.3.0";
  return options;
}

Job contained_shell(const Folder& folder, const Engine& engine, const std::string& script,
                    std::optional<std::uint64_t> memory_bytes = std::nullopt) {
  Job job = shell(folder.path, script);
  job.stages[0].environment = {{"PATH", "/bin"}};
  job.stages[0].limits.memory_bytes = memory_bytes;
  make_folder(job.folder);
  job.attempt += "-" + std::to_string(::getpid());
  job.stages[0] = in_container(job.stages[0], image(), engine, job.trial, job.attempt, job.folder,
                               {{folder.path, false}});
  return job;
}

bool is_gone(const Job& job) { return !container_state(*job.stages[0].container); }

}  // namespace

TEST_CASE("container: an engine's code is its command's only when the command was reached", "[execution]") {
  const JobStage stage = contained();
  for (const int code : {0, 1, 125, 126, 127, 255})
    CHECK_FALSE(engine_fault(stage, ran(code), code, "").has_value());
  CHECK(engine_fault(stage, std::nullopt, 125, "Error: no such image\n")->infrastructure == "engine");
  ContainerState failed;
  failed.error = "crun: broken";
  const auto fault = engine_fault(stage, failed, 126, "noise");
  CHECK(fault->infrastructure == "engine");
  CHECK(fault->message.find("crun: broken") != std::string::npos);
  CHECK(fault->message.find("compile") != std::string::npos);
}

TEST_CASE("container: 137 without evidence is somebody else's kill", "[execution]") {
  const auto fault = engine_fault(contained(), ran(137), 137, "");
  CHECK(fault->infrastructure == "killed-from-outside");
  CHECK(fault->message.find("--memory") != std::string::npos);
  CHECK(engine_fault(contained(), ran(0), std::nullopt, "")->infrastructure == "killed-from-outside");
}

TEST_CASE("container: a program that the init cannot start is told from an exit code", "[execution]") {
  const std::string words = "ERROR (catatonit:2): failed to exec pid1: ";
  CHECK(engine_fault(contained(), ran(1), 1, "x\n" + words + "No such file or directory\n")->infrastructure ==
        "program-not-found");
  CHECK(engine_fault(contained(), ran(1), 1, words + "Permission denied")->infrastructure ==
        "not-executable");
  CHECK_FALSE(engine_fault(contained(), ran(1), 1, words + "quoted\nthe real end").has_value());
}

TEST_CASE("container: an engine's words stay one short line", "[execution]") {
  const auto fault = engine_fault(contained(), std::nullopt, 125, "\x1b[31m" + std::string(100000, 'x'));
  CHECK(fault->message.size() < 1000);
  CHECK(fault->message.find('\x1b') == std::string::npos);
}

TEST_CASE("container: the command line names, labels and isolates, and passes nothing by a shell",
          "[execution]") {
  Engine engine;
  engine.program = "/usr/bin/podman";
  engine.kind = "podman";
  engine.image_id = "sha256:1";
  JobStage stage = shell("/w", "echo; rm x").stages[0];
  stage.limits.memory_bytes = 1000;
  stage.outputs = {"out"};
  const JobStage inside = in_container(stage, image(), engine, "7", "a:b", "/trials/7", {{"/w", true}});
  for (const char* wanted :
       {"--init", "--pull=never", "--network=none", "--log-driver=none", "--label=brink.trial=7",
        "--label=brink.attempt=a:b", "--name=brink-7-a_b-run", "--cidfile=/trials/7/run.cid", "--workdir=/w",
        "--memory=1000b", "--volume=/w:/w:ro", "--env=PATH=/usr/local/bin:/usr/bin:/bin"}) {
    CHECK(has(inside.argv, wanted));
  }
  CHECK_FALSE(has(inside.argv, "--rm"));
  REQUIRE(inside.argv.size() > 4);
  CHECK(std::vector<std::string>(inside.argv.end() - 4, inside.argv.end()) ==
        std::vector<std::string>{"sha256:1", "sh", "-c", "echo; rm x"});
  CHECK(inside.outputs.at(0) == "/w/out");
  REQUIRE(inside.container.has_value());
  CHECK(inside.container->name == "brink-7-a_b-run");
}

TEST_CASE("container: the peak memory is the container's, not its client's", "[execution]") {
  const auto engine = private_engine(image());
  if (!engine) return;
  const Folder folder;
  const Job job = contained_shell(
      folder, *engine, "head -c 150000000 /dev/zero | tail -c 150000000 | { sleep 1; cat >/dev/null; }");
  const Outcome outcome = run(job);
  CHECK(outcome.ending == Ending::exited);
  CHECK(outcome.stages.at(0).memory_source.find("cgroup") == 0);
  CHECK(outcome.peak_memory_bytes > 140'000'000);
  CHECK(is_gone(job));
}

TEST_CASE("container: a time-out and too much memory are told apart, and nothing is left", "[execution]") {
  const auto engine = private_engine(image());
  if (!engine) return;
  const Folder folder;
  Job job = contained_shell(folder, *engine, "trap '' TERM; sleep 60 & wait; sleep 60");
  job.stages[0].limits.wall = 1500ms;
  CHECK(run(job).ending == Ending::timed_out);
  CHECK(is_gone(job));
  const Folder other;
  job = contained_shell(other, *engine, "head -c 300000000 /dev/zero | tail -c 290000000 >/dev/null; exit 4",
                        48 << 20);
  CHECK(run(job).ending == Ending::out_of_memory);
  CHECK(is_gone(job));
}

TEST_CASE("container: a killed supervisor's container is removed with the lost trial", "[execution]") {
  const auto engine = private_engine(image());
  if (!engine) return;
  const Folder folder;
  const Job job = contained_shell(folder, *engine, "sleep 60");
  const auto local = executor();
  local->submit(job, prepare(job));
  const auto started = [&] {
    const auto state = container_state(*job.stages[0].container);
    return state && state->started;
  };
  REQUIRE(within(20s, started));
  for (const pid_t pid : processes_with(job.folder.string() + "/job.json")) ::kill(pid, SIGKILL);
  CHECK(next(*local).ending == Ending::lost);
  CHECK(is_gone(job));
}
