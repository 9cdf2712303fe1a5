#include "harness/search/conclusion.hpp"

#include <fmt/format.h>

#include "harness/search/confirm.hpp"
#include "harness/search/flaky.hpp"
#include "harness/search/intervals.hpp"

namespace brink {

namespace {

constexpr int kMostNamed = 8;  // configs named one by one in warnings

class Conclusion {
 public:
  Conclusion(const Scene& scene, const Axis& axis) : scene_(scene), ledger_(scene.ledger), axis_(axis) {
    answer_.axis = axis.name();
  }

  Answer take(bool finished) {
    Bracket bracket = ledger_.disagreement() ? flaky() : ledger_.violation() ? alternating() : plain();
    if (scene_.stopped || !finished) {
      answer_.kind = ledger_.empty() ? AnswerKind::none : AnswerKind::bracket;
      answer_.answered = false;
    }
    if (finished && !scene_.stopped) warn_of_doubt();
    if (scene_.stopped)
      warn("stopped: a trial cost over 100 times the median or took more than half of the machine's memory");
    name_sides(bracket);
    add_intervals();
    add_skipped();
    warn_of_signatures();
    answer_.holes = holes_seen(hole_sample(scene_), ledger_, bracket.below, bracket.above);
    return std::move(answer_);
  }

 private:
  Bracket plain() {
    const Bracket bracket = plain_bracket(scene_);
    const bool hidden = ledger_.skips_between(bracket.below, bracket.above);
    answer_.confidence = ledger_.lowest_verdict() ? bracket_confidence(scene_, bracket) : 0;
    bool sure = answer_.confidence >= scene_.options.confidence;
    if (!ledger_.lowest_verdict()) {
      answer_.kind = ledger_.empty() ? AnswerKind::none : AnswerKind::only_other_failures;
      return bracket;
    }
    if (hidden && bracket.below >= 0) {
      answer_.kind = AnswerKind::only_other_failures;
      return bracket;
    }
    if (bracket.above == scene_.size)
      answer_.kind = AnswerKind::nothing_fails;
    else if (bracket.below < 0)
      answer_.kind = AnswerKind::everything_fails;
    else
      answer_.kind = AnswerKind::threshold;
    if (bracket.below >= 0) sure = sure && confirmed_side(ledger_, bracket.below);
    if (bracket.above < scene_.size) sure = sure && confirmed_side(ledger_, bracket.above);
    answer_.answered = sure && !too_many_signatures();
    if (hidden)
      warn(fmt::format("below {} there are only other failures: they may hide the target's",
                       text(bracket.above)));
    return bracket;
  }

  Bracket alternating() {
    const std::vector<Run> runs = runs_of(ledger_, false);
    answer_.kind = AnswerKind::intervals;
    answer_.confidence = 1 - structure_doubt(ledger_);
    answer_.answered = structure_confirmed(ledger_, scene_.options.confidence) && !too_many_signatures();
    if (runs.size() > kMostIntervals) warn(kNoStructure);
    warn_of_violations(runs);
    for (std::size_t i = 1; i < runs.size(); ++i)
      if (runs[i].verdict == Verdict::bad) return {runs[i - 1].last, runs[i].first};
    warn(fmt::format(
        "the easiest values fail and harder ones do not: is the axis the other way round ({}:down)?",
        axis_.name()));
    return {-1, scene_.size};
  }

  Bracket flaky() {
    const Estimate estimate = flaky_estimate(scene_);
    answer_.kind = AnswerKind::bracket;
    answer_.confidence = estimate.confidence;
    int named = 0;
    for (const auto& [at, site] : ledger_.sites()) {
      if (!site.disagrees() || ++named > kMostNamed) continue;
      warn(fmt::format("{} failed {} of {} times", text(at), site.bad, site.verdicts()));
    }
    if (named > kMostNamed) warn(fmt::format("so did {} other values, now and then", named - kMostNamed));
    if (ledger_.trials() >= most_flaky_trials(scene_))
      warn(fmt::format("{} trials did not settle it", ledger_.trials()));
    if (ledger_.violation()) warn_of_violations(runs_of(ledger_, false));
    return estimate.bracket;
  }

  void warn_of_violations(const std::vector<Run>& runs) {
    std::optional<Position> bad;
    int named = 0;
    for (const Run& run : runs) {
      if (run.verdict == Verdict::bad) {
        bad = run.last;
      } else if (bad && ++named <= kMostNamed) {
        warn(fmt::format("not monotone: {} is good although {} failed", stretch(run.first, run.last),
                         text(*bad)));
      }
    }
  }

  /// The search gave up repeating: say why there is no answer, where nothing else does.
  void warn_of_doubt() {
    if (answer_.answered || answer_.kind == AnswerKind::only_other_failures || too_many_signatures()) return;
    const std::vector<Run> runs = runs_of(ledger_, false);
    for (std::size_t i = 1; i < runs.size() && ledger_.violation() && runs.size() <= kMostIntervals; ++i)
      if (runs[i].first - runs[i - 1].last > 1)
        warn(fmt::format("between {} and {} there are only other failures", text(runs[i - 1].last),
                         text(runs[i].first)));
    for (const auto& [at, site] : ledger_.sites())
      if (site.verdicts() > 0 && site.skip >= kMostSkips)
        warn(fmt::format("{} could not be confirmed: repeats end in another failure", text(at)));
    if (answer_.confidence < scene_.options.confidence)
      warn(fmt::format("the confidence is {:.3f}, {:.3f} was asked for", answer_.confidence,
                       scene_.options.confidence));
  }

  void warn_of_signatures() {
    for (const auto& [at, site] : ledger_.sites()) {
      if (!site.signatures_differ) continue;
      warn(fmt::format("{} failed in more than one way", text(at)));
      break;
    }
    if (too_many_signatures()) {
      warn(fmt::format("{}: the failure changes more than {} times along {}", kNoStructure,
                       kMostSignatureBorders, axis_.name()));
      return;
    }
    const std::vector<Run> runs = runs_of(ledger_, true);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const Run &easier = runs[i - 1], &harder = runs[i];
      if (easier.verdict != Verdict::bad || harder.verdict != Verdict::bad) continue;
      warn(fmt::format("two failures: {} up to {}, {} from {}", failure_text(easier), text(easier.last),
                       failure_text(harder), text(harder.first)));
    }
  }

  void name_sides(const Bracket& bracket) {
    if (bracket.below >= 0) answer_.last_good = axis_.value(bracket.below);
    if (bracket.above >= scene_.size) return;
    answer_.first_bad = axis_.value(bracket.above);
    if (const Site* site = ledger_.find(bracket.above)) answer_.signature = site->signature;
  }

  void add_intervals() {
    for (const Run& run : runs_of(ledger_, true))
      answer_.intervals.push_back(
          {axis_.value(run.first), axis_.value(run.last), run.verdict, run.signature, run.probed});
  }

  void add_skipped() {
    for (const auto& [at, site] : ledger_.sites())
      if (site.skip > 0) answer_.skipped.push_back({axis_.value(at), site.skip_class});
  }

  bool too_many_signatures() const { return signature_borders(ledger_).size() > kMostSignatureBorders; }
  std::string text(Position at) const { return axis_.name() + "=" + axis_.value(at); }
  std::string stretch(Position first, Position last) const {
    return first == last ? text(first) : text(first) + ".." + axis_.value(last);
  }
  static std::string failure_text(const Run& run) {
    const std::string signature = run.signature.empty() ? "(no signature)" : run.signature;
    return run.failure_class.empty() ? signature : run.failure_class + " " + signature;
  }
  void warn(std::string warning) { answer_.warnings.push_back(std::move(warning)); }

  static constexpr const char* kNoStructure = "not a structure of intervals; try explain";

  const Scene& scene_;
  const Ledger& ledger_;
  const Axis& axis_;
  Answer answer_;
};

}  // namespace

Answer conclude(const Scene& scene, const Axis& axis, bool finished) {
  return Conclusion(scene, axis).take(finished);
}

}  // namespace brink
