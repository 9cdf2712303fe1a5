#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/container.hpp"
#include "harness/core/job.hpp"

namespace brink {

/// An engine that answered, and the image as it is now.
struct Engine {
  std::filesystem::path program;
  std::string kind;      ///< podman or docker
  std::string image_id;  ///< sha256:…, or "rootfs:/" for a rootfs
  std::vector<std::string> repo_digests;
  std::map<std::string, std::string>
      environment;  ///< of the client: PATH, HOME, CONTAINERS_*, DOCKER_*, XDG_RUNTIME_DIR
};

/// Finds the engine, inspects the image, and runs `true` in it with the options asked for. Throws one clear
/// infrastructure Error (codes engine-missing, image-missing, engine) that carries the engine's own words.
Engine open_engine(const ContainerOptions& options);

/// The stage as an engine's command line: named, labelled (brink, trial, attempt), cidfile in `folder`,
/// --init,
/// --pull=never, --network=none, no --rm, image by id, limits, mounts. Folders in `same_path` are mounted at
/// their own path (value: read-only).
JobStage in_container(const JobStage& stage, const ContainerOptions& options, const Engine& engine,
                      const std::string& trial, const std::string& attempt,
                      const std::filesystem::path& folder,
                      const std::map<std::filesystem::path, bool>& same_path);

/// Runs a short command in the image and returns its output (identity commands). Throws infrastructure Error.
std::string output_in_container(const std::vector<std::string>& argv, const ContainerOptions& options,
                                const Engine& engine, const std::map<std::filesystem::path, bool>& same_path);

/// Runs a short command here, with a complete environment, at most 60 s; returns stdout+stderr. Throws
/// infrastructure Error when it cannot start, fails or hangs.
std::string output_of(const std::vector<std::string>& argv,
                      const std::map<std::string, std::string>& environment,
                      const std::filesystem::path& directory);

}  // namespace brink
