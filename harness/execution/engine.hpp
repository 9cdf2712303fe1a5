#pragma once

#include <optional>
#include <string>

#include "harness/core/job.hpp"

namespace brink {

/// What the engine says about a container that has ended.
struct ContainerState {
  bool started = false;  ///< its command was reached
  int exit_code = 0;
  bool out_of_memory = false;
  std::string error;  ///< the engine's own words when it could not start
};

/// nullopt when the engine knows no such container or does not answer.
std::optional<ContainerState> container_state(const ContainerHandle& container);
/// Ends and removes the container, whatever it does; true when it is gone. Also removes the cgroups made for
/// it.
bool remove_container(const ContainerHandle& container);

}  // namespace brink
