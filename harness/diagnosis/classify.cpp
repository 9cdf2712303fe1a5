#include "harness/diagnosis/classify.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <csignal>
#include <string_view>
#include <utility>

#include "harness/core/digest.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "harness/diagnosis/named.hpp"
#include "harness/diagnosis/normalise.hpp"
#include "harness/diagnosis/pattern.hpp"

namespace brink {

namespace {

using Kind = Diagnosis::Kind;

constexpr std::pair<int, std::string_view> kSignals[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"}, {SIGTERM, "SIGTERM"},
    {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};

constexpr int kNotExecutable = 126, kNotFound = 127, kShellSignal = 128;

bool is_known_signal(int signal) {
  for (const auto& [number, name] : kSignals)
    if (number == signal) return true;
  return false;
}

/// Ends that programs come to by a fault of their own. -1 (255) and -2 are ordinary exit codes.
bool is_fault(int signal) {
  return signal == SIGILL || signal == SIGTRAP || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
         signal == SIGKILL || signal == SIGSEGV || signal == SIGSYS;
}

Reckoning reckon_exit(const StageOutcome& stage, const ExitCodes& codes) {
  const int code = stage.exit_code.value_or(0);
  if (codes.skip.contains(code))
    return {Kind::skipped, "skip", fmt::format("exit code {}: skip", code), true};
  if (codes.bad.contains(code)) return {Kind::failed, "", "", false};
  if (codes.good.contains(code)) {
    if (stage.missing_outputs.empty()) return {};
    return {Kind::failed, "no-output",
            fmt::format("exit code {}, but missing or empty: {}", code, join(stage.missing_outputs, ", ")),
            false};
  }
  if (code == kNotExecutable)
    return {Kind::infrastructure, "not-executable",
            "exit code 126: found, but not executable (--bad 126 makes it a failure)", true};
  if (code == kNotFound)
    return {Kind::infrastructure, "not-found",
            "exit code 127: a program was not found (--bad 127 makes it a failure)", true};
  return {Kind::failed, "", "", false};
}

std::string limit_message(const Outcome& outcome, const StageOutcome& stage) {
  const bool idle = stage.killed_by == "idle";
  return fmt::format("{} after {}", idle ? "ended for its silence" : "no end", duration_text(outcome.wall_s));
}

std::string words_of(const Outcome& outcome, std::string_view otherwise) {
  return outcome.message.empty() ? std::string(otherwise) : outcome.message;
}

/// A name for the signal in messages of programs that saw another die of it.
std::string_view signal_of_words(std::string_view words) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"Segmentation fault", "SIGSEGV"},
                                                                      {"Aborted", "SIGABRT"},
                                                                      {"Killed", "SIGKILL"},
                                                                      {"Bus error", "SIGBUS"},
                                                                      {"Illegal instruction", "SIGILL"},
                                                                      {"Floating point exception", "SIGFPE"}};
  for (const auto& [text, name] : kWords)
    if (words.starts_with(text)) return name;
  return "";
}

/// "Segmentation fault signal terminated program cc1plus": the driver survives its compiler.
std::string crash_in_words(std::string_view message) {
  static const RE2 pattern(R"((?:error: )([A-Z][A-Za-z ]+?) signal terminated program )");
  std::string words;
  if (!RE2::PartialMatch(message, pattern, &words)) return "";
  return std::string(signal_of_words(words));
}

/// MemoryError is not among them: CPython's parser says it of a stack that is too deep.
bool tells_no_memory(std::string_view message) {
  static const RE2 pattern(
      R"(out of memory allocating \d|virtual memory exhausted|std::bad_alloc|LLVM ERROR: out of memory)",
      pattern_options());
  return RE2::PartialMatch(message, pattern);
}

bool ran_out_of_memory(const Symptoms& symptoms) {
  for (const std::string& error : symptoms.errors())
    if (tells_no_memory(error)) return true;
  return tells_no_memory(symptoms.last_words());
}

std::string crash_signal(const StageOutcome& stage, const Symptoms& symptoms) {
  if (stage.ending == Ending::signalled) return signal_text(stage.signal.value_or(0));
  if (const auto by_code = crash_by_code(stage.exit_code.value_or(0))) return *by_code;
  return symptoms.errors().empty() ? "" : crash_in_words(symptoms.errors().front());
}

/// The lines that say what is wrong, best first.
std::vector<std::string> best_lines(const Symptoms& symptoms) {
  std::vector<std::string> lines = symptoms.errors();
  if (lines.size() < 2 && !symptoms.exception().empty()) lines.push_back(symptoms.exception());
  return lines;
}

void describe_error(Failure& failure, const StageOutcome& stage, const Symptoms& symptoms) {
  const std::vector<std::string> lines = best_lines(symptoms);
  std::string identity;
  for (const std::string& line : lines) identity += "\x1F" + normalise(line);
  if (!lines.empty()) {
    failure.message = lines.front();
    failure.cause = lines.front();
    if (lines.size() > 1) failure.cause += "; " + lines.back();
  } else {
    constexpr std::size_t kLast = 3;
    const auto& tail = symptoms.tail();
    for (std::size_t i = tail.size() - std::min(tail.size(), kLast); i < tail.size(); ++i)
      identity += "\x1F" + normalise(tail[i]);
    const int code = stage.exit_code.value_or(0);
    identity += fmt::format("\x1F{}", code);
    failure.message = tail.empty() ? fmt::format("exit code {}, and nothing in the log", code) : tail.back();
    failure.cause = tail.empty() ? failure.message : fmt::format("exit code {}: {}", code, tail.back());
  }
  failure.signature = signature_of("error\x1F" + stage.name + identity);
}

void describe_crash(Failure& failure, const std::string& signal, const StageOutcome& stage,
                    const Symptoms& symptoms) {
  failure.failure_class = signal == "SIGKILL" ? "killed" : "crash";
  failure.message = stage.ending == Ending::signalled
                        ? "ended by " + signal
                        : fmt::format("exit code {}: {}", stage.exit_code.value_or(0), signal);
  failure.cause = "crash by " + signal;
  if (!symptoms.last_words().empty()) {
    failure.cause += ": " + symptoms.last_words();
    failure.message += ": " + symptoms.last_words();
  }
  failure.signature = signature_of(failure.failure_class + "\x1F" + stage.name + "\x1F" + signal + "\x1F" +
                                   normalise(symptoms.last_words()));
}

}  // namespace

Reckoning reckon(const Outcome& outcome, const ExitCodes& codes) {
  const StageOutcome stage = outcome.stages.empty() ? StageOutcome{} : outcome.stages.back();
  switch (outcome.ending) {
    case Ending::exited:
      return reckon_exit(stage, codes);
    case Ending::signalled:
      return {Kind::failed, "", "", false};
    case Ending::timed_out:
      return {Kind::failed, "timeout", limit_message(outcome, stage), true};
    case Ending::out_of_memory:
      return {Kind::failed, "out-of-memory",
              "reached the memory limit; peak " + bytes_text(outcome.peak_memory_bytes), true};
    case Ending::stopped_early:
      if (stage.early_verdict == "good") return {};
      return {Kind::failed, stage.early_decides.size() == 1 ? stage.early_decides.front() : "", "", false};
    case Ending::cancelled:
      return {Kind::infrastructure, "cancelled", words_of(outcome, "cancelled"), true};
    case Ending::lost:
      return {Kind::infrastructure, "lost", words_of(outcome, "nobody saw how it ended"), true};
    case Ending::infrastructure:
      return {Kind::infrastructure,
              outcome.infrastructure.empty() ? "infrastructure" : outcome.infrastructure,
              words_of(outcome, outcome.infrastructure), true};
  }
  return {};
}

std::string signal_text(int signal) {
  for (const auto& [number, name] : kSignals)
    if (number == signal) return std::string(name);
  return fmt::format("signal {}", signal);
}

std::optional<std::string> crash_by_code(int code) {
  if (code > kShellSignal && is_known_signal(code - kShellSignal)) return signal_text(code - kShellSignal);
  if (code > kShellSignal && is_fault(256 - code)) return signal_text(256 - code);
  return std::nullopt;
}

Failure general_failure(const Reckoning& reckoning, const Outcome& outcome, const Symptoms& symptoms) {
  const StageOutcome stage = outcome.stages.empty() ? StageOutcome{} : outcome.stages.back();
  Failure failure;
  failure.failure_class = reckoning.failure_class;
  failure.stage = stage.name;
  failure.excerpt = symptoms.excerpt();
  if (!reckoning.failure_class.empty() && !reckoning.message.empty()) {
    failure.message = failure.cause = reckoning.message;
    // The number in the message is the limit's, or a file's: one failure, whatever the size.
    failure.signature = signature_of(failure.failure_class + "\x1F" + stage.name);
  } else if (const std::string signal = crash_signal(stage, symptoms); ran_out_of_memory(symptoms)) {
    const auto lines = best_lines(symptoms);
    failure.failure_class = "out-of-memory";
    failure.message = failure.cause = lines.empty() ? symptoms.last_words() : lines.front();
    failure.signature = signature_of("out-of-memory\x1F" + stage.name);
  } else if (!signal.empty() && reckoning.failure_class.empty()) {
    describe_crash(failure, signal, stage, symptoms);
  } else {
    if (failure.failure_class.empty()) failure.failure_class = "error";
    describe_error(failure, stage, symptoms);
  }
  failure.text_digest = sha256(symptoms.excerpt());
  failure.message = safe_line(failure.message, kMaxMessage);
  failure.cause = safe_line(failure.cause, kMaxCause);
  failure.excerpt = safe_lines(failure.excerpt, kMaxExcerpt);
  return failure;
}

}  // namespace brink
