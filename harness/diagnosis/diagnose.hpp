#pragma once

#include <filesystem>
#include <string>

#include "harness/core/failure.hpp"
#include "harness/core/outcome.hpp"
#include "harness/core/verdict.hpp"
#include "harness/diagnosis/rules.hpp"

namespace brink {

/// Reads outcome and log once, in constant memory, whatever is in the log; the log may be plain or zstd
/// (log.zst). A missing log reads as an empty one. Pure but for reading that file.
Diagnosis diagnose(const Rules& rules, const Outcome& outcome, const std::filesystem::path& log);

/// Whether a line of the log matches (RE2), for `--target match:`.
bool log_matches(const std::filesystem::path& log, const std::string& pattern);

struct Judgement {
  Verdict verdict = Verdict::skip;
  bool evidence =
      true;         ///< false: infrastructure, lost, cancelled, or a stop that does not decide this target
  std::string why;  ///< for people: "other failure: too-many-scs"
};

/// The verdict for one target. `log` is read only for a match target.
Judgement judge(const Outcome& outcome, const Diagnosis& diagnosis, const Target& target,
                const std::filesystem::path& log);

}  // namespace brink
