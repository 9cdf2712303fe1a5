#pragma once

#include <optional>
#include <string>

#include "harness/core/failure.hpp"
#include "harness/core/outcome.hpp"
#include "harness/diagnosis/rules.hpp"
#include "harness/diagnosis/symptoms.hpp"

namespace brink {

/// What an outcome says before its log is read.
struct Reckoning {
  Diagnosis::Kind kind = Diagnosis::Kind::succeeded;
  std::string failure_class;  ///< "" when the log decides, or nothing failed
  std::string message;        ///< one line for people, when the outcome has one
  bool final = false;         ///< no rule may rename it: our limits and our side say what happened
};
Reckoning reckon(const Outcome& outcome, const ExitCodes& codes);

/// "SIGSEGV" when this exit code is how a shell (128 + n) or a wrapper (-n modulo 256) tells a crash.
std::optional<std::string> crash_by_code(int code);
std::string signal_text(int signal);

/// The failure of any compiler, for which there is no rule: by outcome, then by what its log looks like.
Failure general_failure(const Reckoning& reckoning, const Outcome& outcome, const Symptoms& symptoms);

}  // namespace brink
