#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace brink {

/// The peak memory of a container, read from its control group while it lives: the engine removes the group
/// with the container, and the resource usage of the engine's client says nothing of the compiler.
class ContainerMemory {
 public:
  /// `cidfile` is where the engine writes the container's id.
  explicit ContainerMemory(std::filesystem::path cidfile);

  /// Finds the container's group if that has not been done, and reads its counter.
  void look();
  bool found() const { return !counter_.empty(); }
  std::uint64_t peak_bytes() const { return peak_bytes_; }  ///< 0 when the group was never found
  /// cgroup-v2, cgroup-v1, or none.
  std::string source() const { return peak_bytes_ == 0 ? "none" : source_; }

 private:
  void find();

  std::filesystem::path cidfile_, counter_;
  std::string source_;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace brink
