#include "harness/execution/container.hpp"

#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/text.hpp"
#include "harness/execution/command.hpp"

namespace brink {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kCommandDeadline = 60s;
constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

Error engine_error(const std::string& code, const std::string& message, const std::string& remedy) {
  return Error(Exit::infrastructure, code, message, "", remedy);
}

/// What an engine's client needs of our environment, and no more.
std::map<std::string, std::string> client_environment() {
  std::map<std::string, std::string> environment{{"PATH", kDefaultPath}};
  for (const char* const* variable = ::environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    const bool wanted = name == "PATH" || name == "HOME" || name == "XDG_RUNTIME_DIR" ||
                        name.starts_with("CONTAINERS_") || name.starts_with("DOCKER_") || name == "TMPDIR";
    if (wanted && name.size() < text.size()) environment[name] = text.substr(name.size() + 1);
  }
  return environment;
}

/// The engine's own words, on one line.
std::string words_of(const CommandResult& result) {
  if (result.error != 0) return std::strerror(result.error);
  if (result.timed_out) return "no answer in a minute";
  std::string words;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (!trim(line).empty()) words += (words.empty() ? "" : " ") + std::string(trim(line));
  }
  return words.empty() ? "exit code " + std::to_string(result.exit_code) : shorten(for_terminal(words), 600);
}

CommandResult ask(const Engine& engine, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), engine.program.string());
  return run_command(arguments, engine.environment, "/", kCommandDeadline);
}

void find_engine(const ContainerOptions& options, Engine& engine) {
  std::vector<std::string> kinds{"podman", "docker"};
  if (!options.engine.empty()) kinds = {options.engine};
  for (const std::string& kind : kinds) {
    if (const auto program = find_program(kind, engine.environment["PATH"], fs::current_path())) {
      engine.program = *program;
      engine.kind = program->filename().string() == "docker" ? "docker" : "podman";
      return;
    }
  }
  throw engine_error("engine-missing", "no container engine: " + join(kinds, " or ") + " is not on PATH",
                     "install podman or docker, or name one with --engine");
}

void find_image(const ContainerOptions& options, Engine& engine) {
  if (!options.rootfs.empty()) {
    if (engine.kind != "podman")
      throw engine_error("engine", "a rootfs needs podman", "name it with --engine podman");
    engine.image_id = "rootfs:" + options.rootfs;
    return;
  }
  const auto result =
      ask(engine, {"image", "inspect", "--format", "{{.Id}} {{join .RepoDigests \" \"}}", options.image});
  if (!result.ok()) {
    const bool missing = result.exit_code == 125 ||
                         result.output.find("No such image") != std::string::npos ||
                         result.output.find("not known") != std::string::npos;
    throw engine_error(missing ? "image-missing" : "engine",
                       "image " + options.image + ": " + words_of(result),
                       "brink never pulls: build or pull the image first");
  }
  std::istringstream words(result.output);
  words >> engine.image_id;
  if (!engine.image_id.starts_with("sha256:")) engine.image_id = "sha256:" + engine.image_id;
  for (std::string digest; words >> digest;) engine.repo_digests.push_back(digest);
}

/// Everything of `run` before the image that does not depend on the stage.
std::vector<std::string> run_arguments(const ContainerOptions& options, const Engine& engine,
                                       const std::map<fs::path, bool>& same_path) {
  std::vector<std::string> argv{engine.program.string(), "run", "--network=none", "--log-driver=none",
                                "--label=brink=1"};
  if (options.rootfs.empty()) argv.push_back("--pull=never");
  if (options.init) argv.push_back("--init");
  for (const std::string& device : options.devices) argv.push_back("--device=" + device);
  for (const std::string& group : options.groups) argv.push_back("--group-add=" + group);
  for (const std::string& mount : options.mounts) {
    const std::string source = mount.substr(0, mount.find(':'));
    // docker would make an empty folder of a missing source, and the compiler would fail in its own words.
    if (!fs::exists(source))
      throw engine_error("engine", "mount " + mount + ": " + source + " is not there", "");
    argv.push_back("--volume=" + mount);
  }
  for (const auto& [folder, read_only] : same_path) {
    argv.push_back("--volume=" + folder.string() + ":" + folder.string() + (read_only ? ":ro" : ""));
  }
  for (const auto& [name, value] : options.environment) argv.push_back("--env=" + name + "=" + value);
  argv.insert(argv.end(), options.options.begin(), options.options.end());
  return argv;
}

void add_command(std::vector<std::string>& argv, const ContainerOptions& options, const Engine& engine,
                 const std::vector<std::string>& command) {
  if (!options.rootfs.empty()) {
    argv.push_back("--rootfs");
    argv.push_back(options.rootfs + ":O");  // a throwaway overlay: the folder itself is never written
  } else {
    argv.push_back(engine.image_id);
  }
  argv.insert(argv.end(), command.begin(), command.end());
}

/// A name that every engine accepts.
std::string plain_name(const std::string& text) {
  std::string name;
  for (const char byte : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '-' || byte == '_' || byte == '.';
    name.push_back(plain ? byte : '_');
  }
  return name;
}

CommandResult run_once(const std::vector<std::string>& command, const ContainerOptions& options,
                       const Engine& engine, const std::map<fs::path, bool>& same_path) {
  std::vector<std::string> argv = run_arguments(options, engine, same_path);
  const std::string name = "brink-once-" + std::to_string(::getpid()) + "-" + std::to_string(epoch_ms());
  argv.insert(argv.end(), {"--rm", "--name=" + name});  // nothing of it is evidence
  add_command(argv, options, engine, command);
  const CommandResult result = run_command(argv, engine.environment, "/", kCommandDeadline);
  if (result.timed_out) ask(engine, {"rm", "-f", name});
  return result;
}

}  // namespace

Engine open_engine(const ContainerOptions& options) {
  Engine engine;
  engine.environment = client_environment();
  find_engine(options, engine);
  find_image(options, engine);
  const CommandResult result = run_once({"true"}, options, engine, {});
  if (!result.ok()) {
    throw engine_error("engine",
                       engine.kind + " cannot run `true` in " + engine.image_id + ": " + words_of(result),
                       "try it by hand: " + engine.kind + " run --rm --network=none IMAGE true");
  }
  return engine;
}

JobStage in_container(const JobStage& stage, const ContainerOptions& options, const Engine& engine,
                      const std::string& trial, const std::string& attempt, const fs::path& folder,
                      const std::map<fs::path, bool>& same_path) {
  ContainerHandle handle;
  handle.engine = engine.program.string();
  handle.name = "brink-" + plain_name(trial) + "-" + plain_name(attempt) + "-" + plain_name(stage.name);
  handle.cidfile = folder / (plain_name(stage.name) + ".cid");
  handle.environment = engine.environment;

  std::vector<std::string> argv = run_arguments(options, engine, same_path);
  argv.insert(argv.end(),
              {"--name=" + handle.name, "--label=brink.trial=" + trial, "--label=brink.attempt=" + attempt,
               "--cidfile=" + handle.cidfile.string(), "--workdir=" + stage.directory.string()});
  if (stage.limits.memory_bytes)
    argv.push_back("--memory=" + std::to_string(*stage.limits.memory_bytes) + "b");
  for (const auto& [name, value] : stage.environment) argv.push_back("--env=" + name + "=" + value);
  add_command(argv, options, engine, stage.argv);

  JobStage inside = stage;
  inside.argv = std::move(argv);
  inside.environment = engine.environment;
  inside.container = handle;
  inside.directory = folder;  // where conmon leaves its word about memory
  for (fs::path& output : inside.outputs) output = stage.directory / output;
  return inside;
}

std::string output_in_container(const std::vector<std::string>& argv, const ContainerOptions& options,
                                const Engine& engine, const std::map<fs::path, bool>& same_path) {
  const CommandResult result = run_once(argv, options, engine, same_path);
  if (!result.ok()) throw infrastructure_error(shell_text(argv) + " in the container: " + words_of(result));
  return result.output;
}

std::string output_of(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment, const fs::path& directory) {
  const CommandResult result = run_command(argv, environment, directory, kCommandDeadline);
  if (!result.ok()) throw infrastructure_error(shell_text(argv) + ": " + words_of(result));
  return result.output;
}

}  // namespace brink
