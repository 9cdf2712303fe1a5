#include <algorithm>

#include "harness/diagnosis/diagnose.hpp"

namespace brink {

namespace {

constexpr std::size_t kMinPrefix = 6;

bool in_group(const Failure& failure, const std::string& group) {
  if (group.empty() || failure.group == group) return true;
  return std::any_of(failure.conflicts.begin(), failure.conflicts.end(),
                     [&](const Conflict& conflict) { return conflict.group == group; });
}

bool is_signature(const std::string& signature, const std::string& asked) {
  if (asked.size() < kMinPrefix || asked.size() > signature.size()) return false;
  return std::equal(asked.begin(), asked.end(), signature.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'F' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_target(const Failure& failure, const Target& target, const std::filesystem::path& log) {
  switch (target.kind) {
    case Target::Kind::any:
      return true;
    case Target::Kind::failure_class:
      return failure.failure_class == target.value && in_group(failure, target.group);
    case Target::Kind::signature:
      return is_signature(failure.signature, target.value) && in_group(failure, target.group);
    case Target::Kind::match:
      // Reaching a limit of ours is a failure of its own, whatever the compiler had said by then.
      return failure.failure_class != "timeout" && failure.failure_class != "out-of-memory" &&
             log_matches(log, target.value) && in_group(failure, target.group);
  }
  return false;
}

std::string other_failure(const Failure& failure, const Target& target) {
  std::string why = "other failure: " + failure.failure_class;
  if (!target.group.empty() && !failure.group.empty() && failure.group != target.group)
    why += " in " + failure.group;
  return why;
}

/// Whether an early end says anything about this target: what the pattern decides, and for a bad one also
/// "any", since a failure is a failure.
bool decides(const StageOutcome& stage, const Diagnosis& diagnosis, const Target& target) {
  if (target.kind == Target::Kind::any) return stage.early_verdict == "bad";
  const auto listed = [&](const std::string& name) {
    return std::find(stage.early_decides.begin(), stage.early_decides.end(), name) !=
           stage.early_decides.end();
  };
  if (target.kind == Target::Kind::failure_class) return listed(target.value);
  // A signature or a text belongs to a class that only the failure itself can tell.
  return stage.early_verdict == "bad" && diagnosis.failure && listed(diagnosis.failure->failure_class);
}

}  // namespace

Judgement judge(const Outcome& outcome, const Diagnosis& diagnosis, const Target& target,
                const std::filesystem::path& log) {
  const bool early = outcome.ending == Ending::stopped_early && !outcome.stages.empty();
  if (early && !decides(outcome.stages.back(), diagnosis, target))
    return {Verdict::skip, false, "ended early by a pattern that does not decide this target"};
  const std::string failure_class = diagnosis.failure ? diagnosis.failure->failure_class : "";
  switch (diagnosis.kind) {
    case Diagnosis::Kind::succeeded:
      return {Verdict::good, true, ""};
    case Diagnosis::Kind::skipped:
      return {Verdict::skip, true, "skipped by its exit code"};
    case Diagnosis::Kind::infrastructure:
      return {Verdict::skip, false, "infrastructure: " + failure_class};
    case Diagnosis::Kind::failed:
      break;
  }
  if (!diagnosis.failure) return {Verdict::skip, true, "a failure that was not read"};
  if (is_target(*diagnosis.failure, target, log)) return {Verdict::bad, true, failure_class};
  return {Verdict::skip, true, other_failure(*diagnosis.failure, target)};
}

}  // namespace brink
