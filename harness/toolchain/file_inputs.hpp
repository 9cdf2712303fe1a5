#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/container.hpp"
#include "harness/toolchain/plan.hpp"

namespace brink {

/// Where the files of a stage's arguments lie for us: on the machine itself, or behind a container's mounts.
struct FileView {
  std::filesystem::path directory;    ///< working folder of the stage
  std::string path_list;              ///< PATH of the stage
  const ContainerOptions* container;  ///< nullptr: the machine itself
  std::filesystem::path toolchain;    ///< for {toolchain} in mounts

  /// The file of ours that `argument` would open; nullopt when it lies in an image.
  std::optional<std::filesystem::path> file(const std::string& argument) const;
  /// The program of ours that argv[0] would start; nullopt when there is none (or it lies in an image).
  std::optional<std::filesystem::path> program(const std::string& name) const;
  /// Whether a program that `program` does not find lies in an image, rather than nowhere.
  bool program_is_in_image(const std::string& name) const;
};

/// Adds the parts "program NAME" and "file NAME" of a stage, and the files to watch. `shown` is argv as the
/// key writes it; `inputs` says which arguments may be files.
struct FileParts {
  std::vector<KeyPart> parts;
  std::vector<WatchedFile> watched;
};
FileParts file_parts(const std::vector<std::string>& argv, const std::vector<std::string>& shown,
                     const std::vector<bool>& inputs, const FileView& view, FileDigests& digests);

}  // namespace brink
