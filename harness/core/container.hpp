#pragma once

#include <map>
#include <string>
#include <vector>

namespace brink {

/// The container that a toolchain's stages run in ([container] of CONTRACT 3, `--container` of CONTRACT 1).
struct ContainerOptions {
  std::string engine;  ///< "podman", "docker", or "" for the first that is there
  std::string image;   ///< reference; run by image id, never pulled
  std::string rootfs;  ///< instead of an image: a folder used as a throwaway root (podman only), e.g. "/"
  std::vector<std::string> devices, groups, mounts, options;  ///< mounts: SRC:DST[:ro]
  std::map<std::string, std::string> environment;
  bool init = true;
  bool operator==(const ContainerOptions&) const = default;
};

}  // namespace brink
