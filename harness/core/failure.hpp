#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brink {

/// One conflict of a topology error: a node that the partitioner put later than its successor.
struct Conflict {
  std::string group;  ///< network group: scope without the part before "__"
  std::string node, bucket, successor, successor_bucket;  ///< names without scope
  std::optional<int> layer;                               ///< transformer layer, from the op's number
  std::string role;                                       ///< "q rope add", "mask add", …; "" unknown
  bool operator==(const Conflict&) const = default;
};

/// What the log says went wrong.
struct Failure {
  std::string
      failure_class;  ///< "topology", "too-many-scs", "timeout", "out-of-memory", "no-output", "unknown", …
  std::string stage, group;
  std::string message;      ///< one line, valid UTF-8, no control characters, at most 500 bytes
  std::string excerpt;      ///< a few lines around it, likewise safe, at most 8 KiB
  std::string signature;    ///< 16 hex digits: the normalised identity; equal means the same failure
  std::string text_digest;  ///< digest of the exact text, for "byte for byte the same"
  std::string
      cause;  ///< for reports: "context-partition topology: 5 shared inputs, layers 0 and 1, 10 conflicts"
  std::vector<Conflict> conflicts;
  std::vector<std::map<std::string, std::string>> rows;  ///< captures of a repeating rule
  bool operator==(const Failure&) const = default;
};

/// A log and an outcome, read.
struct Diagnosis {
  enum class Kind {
    succeeded,
    failed,          ///< `failure` says how
    skipped,         ///< the command asked for a skip by its exit code; `failure` describes it
    infrastructure,  ///< never evidence; `failure` has the class and the message
  };
  Kind kind = Kind::succeeded;
  std::optional<Failure> failure;
  std::vector<std::string> notes;  ///< warnings worth storing ("Reducing optimization level to 0 because …")
  bool stand_in = false;           ///< the log says that a stand-in made it
  bool operator==(const Diagnosis&) const = default;
};

}  // namespace brink
