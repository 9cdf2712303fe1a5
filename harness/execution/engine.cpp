#include "harness/execution/engine.hpp"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "harness/core/text.hpp"
#include "harness/execution/command.hpp"

namespace brink {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kEngineDeadline = 60s;
constexpr int kAttempts = 3;  ///< parallel clients can find podman's database locked

bool is_docker(const ContainerHandle& container) { return fs::path(container.engine).filename() == "docker"; }

/// The folders that an engine made for us below every controller.
void remove_cgroups(const std::string& parent) {
  if (parent.empty()) return;
  std::error_code error;
  for (const auto& controller : fs::directory_iterator("/sys/fs/cgroup", error)) {
    const fs::path folder = controller.path() / fs::path(parent).relative_path();
    for (const auto& child : fs::directory_iterator(folder, error)) {
      if (child.is_directory(error)) ::rmdir(child.path().c_str());
    }
    ::rmdir(folder.c_str());
  }
}

}  // namespace

std::optional<ContainerState> container_state(const ContainerHandle& container) {
  const std::string format = "{{.State.ExitCode}}|{{.State.OOMKilled}}|{{.State.StartedAt}}|{{.State.Error}}";
  const auto result =
      run_command({container.engine, "container", "inspect", "--format", format, container.name},
                  container.environment, "/", kEngineDeadline);
  if (!result.ok()) return std::nullopt;
  std::vector<std::string> fields;
  std::istringstream line(std::string(trim(result.output)));
  for (std::string field; std::getline(line, field, '|');) fields.push_back(field);
  if (fields.size() < 3) return std::nullopt;
  ContainerState state;
  std::from_chars(fields[0].data(), fields[0].data() + fields[0].size(), state.exit_code);
  state.out_of_memory = fields[1] == "true";
  state.started = !fields[2].starts_with("0001-");  // the zero of Go's clock
  if (fields.size() > 3) state.error = fields[3];
  return state;
}

bool remove_container(const ContainerHandle& container) {
  std::vector<std::string> argv{container.engine, "rm", "-f"};
  if (!is_docker(container)) argv.insert(argv.end(), {"-t", "0", "--ignore"});
  argv.push_back(container.name);
  bool gone = false;
  for (int attempt = 0; attempt < kAttempts && !gone; ++attempt) {
    const auto result = run_command(argv, container.environment, "/", kEngineDeadline);
    gone = result.ok() || result.output.find("No such container") != std::string::npos;
  }
  remove_cgroups(container.cgroup_parent);
  return gone;
}

}  // namespace brink
