#include <fmt/core.h>

#include <algorithm>

#include "harness/core/config.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink {

namespace {

std::string percent(double share) {
  // 99.97 % must not read as 100 %: that would be a certainty nobody has.
  return fmt::format("{:.1f} %", share >= 0.9995 && share < 1 ? 99.9 : share * 100);
}

std::string at(const Answer& answer, const std::string& value) { return answer.axis + "=" + value; }

std::string sweep_line(const ExperimentReport& report) {
  std::size_t told = 0, bad = 0, skipped = 0;
  for (const SweepPoint& point : report.answer.points) {
    told += point.verdict ? 1U : 0U;
    bad += point.verdict == Verdict::bad ? 1U : 0U;
    skipped += point.verdict == Verdict::skip ? 1U : 0U;
  }
  std::string text = fmt::format("{} of {} configs fail", bad, report.answer.points.size());
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (told < report.answer.points.size())
    text += fmt::format(", {} not tried", report.answer.points.size() - told);
  return text;
}

std::string threshold_line(const Answer& answer) {
  return fmt::format("fails from {} ({} compiles), confidence {}", at(answer, answer.first_bad.value_or("?")),
                     answer.last_good.value_or("?"), percent(answer.confidence));
}

std::string intervals_line(const Answer& answer) {
  std::string text = "no single threshold:";
  for (const Interval& interval : answer.intervals)
    text += fmt::format(" {} {}",
                        interval.from == interval.to ? interval.from : interval.from + ".." + interval.to,
                        interval.verdict == Verdict::good ? "compiles," : "fails,");
  if (text.back() == ',') text.pop_back();
  return text;
}

std::string only_other_line(const Answer& answer) {
  if (!answer.first_bad)
    return "the target's failure was not seen; only other failures after " +
           answer.last_good.value_or("nothing");
  return fmt::format("only other failures between {} (compiles) and {} (fails)",
                     answer.last_good ? at(answer, *answer.last_good) : "nothing",
                     at(answer, *answer.first_bad));
}

std::string question_line(const ExperimentReport& report) {
  const Answer& answer = report.answer;
  switch (answer.kind) {
    case AnswerKind::threshold:
      return threshold_line(answer);
    case AnswerKind::nothing_fails:
      return fmt::format("nothing fails up to {}, confidence {}", at(answer, answer.last_good.value_or("?")),
                         percent(answer.confidence));
    case AnswerKind::everything_fails:
      return fmt::format("everything fails, from {} on, confidence {}",
                         at(answer, answer.first_bad.value_or("?")), percent(answer.confidence));
    case AnswerKind::intervals:
      return intervals_line(answer);
    case AnswerKind::only_other_failures:
      return only_other_line(answer);
    case AnswerKind::bracket:
      return fmt::format("no answer yet: compiles up to {}, fails from {}", answer.last_good.value_or("?"),
                         answer.first_bad.value_or("?"));
    case AnswerKind::sweep:
      return sweep_line(report);
    case AnswerKind::none:
      return "no answer";
  }
  return "";
}

std::string first_line(const ExperimentReport& report) {
  std::string text = report.name + ": " + question_line(report);
  if (report.state != "answered") text += " [" + report.state + "]";
  if (report.stand_in) text += " (stand-in compiler)";
  return text;
}

/// The configs that fail, as many as fit a line.
std::string failing_line(const ExperimentReport& report) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> failing;
  for (const SweepPoint& point : report.answer.points)
    if (point.verdict == Verdict::bad) failing.push_back(config_from_canonical(point.config).text());
  if (failing.empty()) return "none fails";
  std::string text;
  for (std::size_t i = 0; i < std::min(failing.size(), kMost); ++i)
    text += (i == 0 ? "fail: " : ", ") + failing[i];
  if (failing.size() > kMost) text += fmt::format(" and {} more", failing.size() - kMost);
  return text;
}

/// Why: the failure, else what keeps the answer away.
std::string second_line(const ExperimentReport& report) {
  if (report.state == "blocked" && !report.warnings.empty()) return "blocked: " + report.warnings.back();
  if (report.answer.kind == AnswerKind::sweep) return failing_line(report);
  if (report.failure) {
    const ReportFailure& failure = *report.failure;
    if (!failure.cause.empty()) return "cause: " + failure.cause;
    return "cause: " + failure.failure_class + ": " + failure.message;
  }
  if (report.state == "inconclusive" && !report.answer.warnings.empty())
    return "because: " + report.answer.warnings.front();
  if (report.state == "inconclusive" && !report.warnings.empty()) return "because: " + report.warnings.back();
  return report.answer.kind == AnswerKind::nothing_fails ? "cause: none, nothing failed" : "cause: none seen";
}

std::string third_line(const ExperimentReport& report) {
  std::string text = fmt::format("{} trials of {} values, {} reused, {}", report.trials, report.probed,
                                 report.reused, duration_text(report.seconds.wall));
  const Holes& holes = report.answer.holes;
  if (report.answer.kind == AnswerKind::sweep) return text;
  if (holes.tried == 0) return text + "; no random probes for holes";
  const std::string found = holes.found == 0 ? "no violation" : fmt::format("{} violations", holes.found);
  text += fmt::format("; {} in {} random probes", found, holes.tried);
  if (holes.excluded_share == 0.0)
    text += ": every value was probed";
  else if (holes.found == 0 && holes.excluded_share)
    text += fmt::format(": a hole share over {:.0f} % is excluded at {:.0f} %", *holes.excluded_share * 100,
                        holes.confidence * 100);
  return text;
}

}  // namespace

std::vector<std::string> answer_lines(const ExperimentReport& report) {
  constexpr std::size_t kMost = 600;
  std::vector<std::string> lines;
  for (const std::string& line : {first_line(report), second_line(report), third_line(report)})
    lines.push_back(shorten(for_terminal(line), kMost));
  return lines;
}

}  // namespace brink
