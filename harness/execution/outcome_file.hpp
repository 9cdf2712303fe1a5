#pragma once

#include <filesystem>
#include <string_view>

#include "harness/core/files.hpp"

namespace brink {

/// outcome.json, with its space allocated before the job begins, so that a job that fills the disk cannot
/// keep its outcome from being told.
class OutcomeFile {
 public:
  /// Removes a stale outcome.json of the folder and allocates the new one's space under another name.
  explicit OutcomeFile(const std::filesystem::path& folder);
  /// False when there was no space to allocate.
  bool allocated() const { return allocated_; }
  /// Writes, syncs and renames. False when the disk refused even that.
  bool commit(std::string_view json);

 private:
  std::filesystem::path folder_;
  Descriptor file_;
  bool allocated_ = false;
};

}  // namespace brink
