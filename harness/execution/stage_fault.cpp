#include "harness/execution/stage_fault.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/core/text.hpp"

namespace brink {
namespace {

constexpr std::size_t kMostWords = 600;  ///< of an engine, in a message of one line
constexpr int kKilledInside = 137;       ///< what engines make of SIGKILL

std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

}  // namespace

StageFault start_fault(const JobStage& stage, int error) {
  const std::string program = stage.argv.empty() ? "(nothing)" : stage.argv.front();
  if (error == ENOENT && ::access(stage.directory.c_str(), X_OK) != 0) {
    return {"program-not-found",
            "stage " + stage.name + ": its folder " + stage.directory.string() + " is not there"};
  }
  if (error == ENOENT || error == ENOTDIR) {
    return {"program-not-found", "program " + program + " was not found"};
  }
  if (error == EACCES || error == ENOEXEC || error == EPERM || error == ELOOP || error == ETXTBSY) {
    return {"not-executable", "program " + program + " cannot be executed: " + std::strerror(error)};
  }
  return {"supervisor", "program " + program + " could not be started: " + std::strerror(error)};
}

StageFault outside_fault(const JobStage& stage) {
  return {"killed-from-outside", (stage.container ? "the container of stage " : "stage ") + stage.name +
                                     " was killed by somebody else, perhaps by the machine for want of "
                                     "memory: bound it with --memory"};
}

std::optional<StageFault> engine_fault(const JobStage& stage, const std::optional<ContainerState>& state,
                                       std::optional<int> exit_code, std::string_view log) {
  const std::string last = shorten(for_terminal(last_line(log)), kMostWords);
  if (!state || !state->started) {
    const std::string words =
        state && !state->error.empty() ? shorten(for_terminal(state->error), kMostWords) : last;
    return StageFault{"engine", "the container engine could not start stage " + stage.name + ": " + words};
  }
  if (!exit_code || *exit_code == kKilledInside) return outside_fault(stage);
  // catatonit and tini, the two inits behind --init, say so and end with a code that a command could have.
  if (last.find("failed to exec pid1") != std::string::npos || last.starts_with("[FATAL tini")) {
    const bool missing = last.find("No such file") != std::string::npos;
    return StageFault{missing ? "program-not-found" : "not-executable",
                      "the program of stage " + stage.name + " cannot be started in the container: " + last};
  }
  return std::nullopt;
}

std::vector<std::string> missing_outputs(const JobStage& stage) {
  std::vector<std::string> missing;
  for (const auto& output : stage.outputs) {
    const auto file = output.is_absolute() ? output : stage.directory / output;
    std::error_code error;
    const bool folder = std::filesystem::is_directory(file, error);
    const bool there = folder ? !std::filesystem::is_empty(file, error)
                              : std::filesystem::file_size(file, error) > 0 && !error;
    if (!there || error) missing.push_back(output.string());
  }
  return missing;
}

}  // namespace brink
