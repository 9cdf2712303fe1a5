#include "harness/diagnosis/diagnose.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/diagnosis/classify.hpp"
#include "harness/diagnosis/log.hpp"
#include "harness/diagnosis/named.hpp"
#include "harness/diagnosis/pattern.hpp"
#include "harness/diagnosis/strip.hpp"
#include "harness/diagnosis/symptoms.hpp"
#include "harness/diagnosis/watch.hpp"
#include "harness/diagnosis/windows.hpp"

namespace brink {

namespace {

/// Shows the stripped log to `see`, window by window, until it wants no more.
void read_log(const std::filesystem::path& log, const std::function<bool(Windows&)>& see) {
  LogReader reader(log);
  Stripper stripper;
  Windows windows;
  std::string bytes;
  const auto show = [&](bool last) {
    windows.begin(last);
    const bool more = see(windows);
    windows.advance();
    return more;
  };
  while (reader.next(bytes)) {
    stripper.feed(bytes, windows.text());
    if (windows.ready(false) && !show(false)) return;
  }
  stripper.finish(windows.text());
  if (windows.ready(true)) show(true);
}

/// Lines that look like failures and are none.
class Recoverable {
 public:
  explicit Recoverable(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      check_pattern(pattern, "recoverable");
      patterns_.push_back(std::make_unique<RE2>(line_pattern(pattern), pattern_options()));
    }
  }

  /// Blanks them out of the window; of a long line only the match itself.
  void drop_from(Windows& windows) const {
    for (const auto& pattern : patterns_) {
      std::size_t from = 0;
      re2::StringPiece match;
      const std::string_view text = windows.fresh();
      while (from < text.size() && pattern->Match(text, from, text.size(), RE2::UNANCHORED, &match, 1)) {
        const auto at = static_cast<std::size_t>(match.data() - text.data());
        const auto [begin, end] = line_around(text, at, std::max<std::size_t>(match.size(), 1));
        windows.blank(begin, end - begin);
        from = std::max(end, from + 1);
      }
    }
  }

 private:
  static std::pair<std::size_t, std::size_t> line_around(std::string_view text, std::size_t at,
                                                         std::size_t size) {
    constexpr std::size_t kLongLine = 4096;
    const std::size_t last = std::min(at + size, text.size());
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', last), text.size());
    return end - begin > kLongLine ? std::pair{at, last} : std::pair{begin, end};
  }

  std::vector<std::unique_ptr<RE2>> patterns_;
};

/// The rules that apply to the deciding stage, in order.
std::vector<const Rule*> rules_for(const Rules& rules, const std::string& stage) {
  std::vector<const Rule*> chosen;
  for (const Rule& rule : rules.rules)
    if (rule.stage.empty() || rule.stage == stage) chosen.push_back(&rule);
  return chosen;
}

std::vector<std::string> patterns_of(const std::vector<const Rule*>& rules) {
  std::vector<std::string> patterns;
  for (const Rule* rule : rules) patterns.push_back(rule->match);
  return patterns;
}

}  // namespace

Diagnosis diagnose(const Rules& rules, const Outcome& outcome, const std::filesystem::path& log) {
  const Reckoning reckoning = reckon(outcome, rules.exit_codes);
  const std::string stage = outcome.stages.empty() ? "" : outcome.stages.back().name;
  const bool named = reckoning.kind == Diagnosis::Kind::failed && !reckoning.final;
  const auto applicable = named ? rules_for(rules, stage) : std::vector<const Rule*>{};
  const Recoverable recoverable(rules.recoverable);
  PatternWatch watch(patterns_of(applicable));
  Symptoms symptoms;
  read_log(log, [&](Windows& windows) {
    recoverable.drop_from(windows);
    symptoms.see(windows.fresh());
    watch.see(windows.window(), windows.fresh());
    return true;
  });
  Diagnosis diagnosis;
  diagnosis.kind = reckoning.kind;
  diagnosis.notes = symptoms.notes();
  diagnosis.stand_in = symptoms.stand_in();
  if (reckoning.kind == Diagnosis::Kind::succeeded) return diagnosis;
  if (const auto found = watch.found()) {
    diagnosis.failure = named_failure(*applicable[*found], watch.text());
    diagnosis.failure->stage = stage;
  } else {
    diagnosis.failure = general_failure(reckoning, outcome, symptoms);
  }
  return diagnosis;
}

bool log_matches(const std::filesystem::path& log, const std::string& pattern) {
  PatternWatch watch({pattern});
  read_log(log, [&](Windows& windows) {
    watch.see(windows.window(), windows.fresh());
    return !watch.found();
  });
  return watch.found().has_value();
}

}  // namespace brink
