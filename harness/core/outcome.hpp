#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// How a trial, or one of its stages, ended.
enum class Ending {
  exited,          ///< by itself, with an exit code
  signalled,       ///< by itself (a crash), with a signal
  timed_out,       ///< our wall or idle limit
  out_of_memory,   ///< our memory limit, with evidence
  stopped_early,   ///< a decisive line was seen and we ended it
  cancelled,       ///< a person, or a search that no longer needs it
  lost,            ///< nobody alive and no outcome
  infrastructure,  ///< our side: see `infrastructure`
};
std::string_view ending_text(Ending ending);
std::optional<Ending> parse_ending(std::string_view text);

struct StageOutcome {
  std::string name;
  Ending ending = Ending::exited;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string killed_by;  ///< "", wall, idle, memory, early, cancel, outside
  double wall_s = 0, cpu_s = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::string memory_source;  ///< cgroup-v2, cgroup-v1, sampled, rusage, none
  std::vector<std::string> missing_outputs;
  std::optional<int> early_pattern;  ///< index into JobStage::early
  std::string early_verdict;         ///< good or bad when stopped early
  std::vector<std::string> early_decides;
  bool operator==(const StageOutcome&) const = default;
};

/// The facts of a trial: written once, by the supervisor, as outcome.json. Never edited.
struct Outcome {
  std::string trial, attempt;
  Ending ending = Ending::exited;  ///< of the deciding (last) stage
  std::string
      infrastructure;   ///< class when ending is infrastructure: program-not-found, not-executable, engine,
                        ///< image-missing, killed-from-outside, disk-full, input-changed, supervisor
  std::string message;  ///< one line for people
  std::int64_t started_ms = 0, ended_ms = 0;  ///< UTC epoch, for rows only
  double wall_s = 0, cpu_s = 0;               ///< wall by the monotonic clock
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t log_bytes = 0, log_cut_bytes = 0;  ///< written by the job; cut out of our copy
  std::vector<std::string> enforced;  ///< "wall", "memory: cgroup-v1", "tree: cgroup", "tree: subreaper"
  std::vector<StageOutcome> stages;   ///< those that started, in order

  bool operator==(const Outcome&) const = default;
};

std::string outcome_to_json(const Outcome& outcome);
/// Throws Error (code "outcome") on anything unreadable.
Outcome outcome_from_json(std::string_view json);

}  // namespace brink
