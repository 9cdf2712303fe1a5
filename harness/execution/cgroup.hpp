#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/files.hpp"

namespace brink {

/// A control group of its own for one stage: bounds and counts the memory of the whole tree and reaches every
/// process of it. Nested in the caller's group, so that the limits of a cluster job or service above it still
/// hold.
class Cgroup {
 public:
  /// nullopt where none can be made (no rights, no memory controller).
  static std::optional<Cgroup> create(const std::string& name, std::optional<std::uint64_t> memory_bytes);
  /// The folders that create() may make for this name, for whoever cleans up after a dead supervisor.
  static std::vector<std::filesystem::path> candidates(const std::string& name);

  Cgroup(Cgroup&&) = default;
  Cgroup& operator=(Cgroup&&) = default;
  /// Removes the folder, if it is empty.
  ~Cgroup();

  int members() const { return members_.get(); }         ///< cgroup.procs, open for writing
  const std::string& source() const { return source_; }  ///< cgroup-v1 or cgroup-v2
  std::uint64_t peak_bytes() const;
  /// Processes of the group that the kernel killed for memory.
  std::uint64_t oom_kills() const;
  /// Whether the group ever ran against its limit.
  bool limit_hit() const;
  void kill() const;

 private:
  Cgroup(std::filesystem::path folder, std::string source, Descriptor members);
  std::filesystem::path folder_;
  std::string source_;
  Descriptor members_;
};

/// Sends SIGKILL to every member of a group's folder until it is empty, then removes it. False when something
/// is left.
bool clear_cgroup(const std::filesystem::path& folder);

/// What a file of the kernel says now; "" when it is gone or not ours to read.
std::string kernel_text(const std::filesystem::path& file);

}  // namespace brink
