#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/config.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink {

namespace {

constexpr std::size_t kMostTrials = 200;

/// Two ways of writing the same report.
struct Style {
  std::string heading, item, fence;
  bool markdown = false;
};

const Style kPlain{"", "  ", "", false};
const Style kMarkdown{"## ", "- ", "```\n", true};

/// What a compiler or a user wrote must not become markup, links or mentions of the issue that it is pasted
/// into. The zero-width space keeps a name from being one.
std::string without_markup(const std::string& text) {
  constexpr std::string_view kMarkup = "\\`*_[]#|!~$";
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '@')
      safe += "@\u200b";
    else if (kMarkup.find(c) != std::string_view::npos)
      safe += {'\\', c};
    else
      safe += c;
  }
  return safe;
}

std::string plain(const std::string& text, std::size_t most = 300) {
  return shorten(for_terminal(text), most);
}

std::string safe(const Style& style, const std::string& text, std::size_t most = 300) {
  return style.markdown ? without_markup(plain(text, most)) : plain(text, most);
}

std::string on_one_line(std::string text) {
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, "; ");
  return text;
}

std::string intervals_text(const ExperimentReport& result, const Style& style) {
  std::string text;
  for (const Interval& interval : result.answer.intervals) {
    const std::string range =
        interval.from == interval.to ? interval.from : interval.from + ".." + interval.to;
    text += fmt::format("{}{:<24} {:<5} {} probed{}\n", style.item, safe(style, range),
                        verdict_text(interval.verdict), to_text(interval.probed),
                        interval.signature.empty() ? "" : "  signature " + interval.signature);
  }
  return text;
}

/// What tells the trials of an experiment apart: its axis, and every parameter that has more than one value.
std::set<std::string> varying_names(const ReportedExperiment& one) {
  std::map<std::string, std::set<std::string>> values;
  for (const ReportTrial& trial : one.trials)
    for (const auto& [name, value] : config_from_canonical(trial.config).values) values[name].insert(value);
  std::set<std::string> names{one.result.answer.axis};
  for (const auto& [name, different] : values)
    if (different.size() > 1) names.insert(name);
  return names;
}

std::string trials_table(const ReportedExperiment& one) {
  std::string text = fmt::format("    {:>6}  {:<28} {:<8} {:<18} {:>9}  {}\n", "trial", "config", "verdict",
                                 "class", "time", "message");
  const auto names = varying_names(one);
  const std::size_t first = one.trials.size() > kMostTrials ? one.trials.size() - kMostTrials : 0;
  for (std::size_t i = first; i < one.trials.size(); ++i) {
    const ReportTrial& trial = one.trials[i];
    Config config = config_from_canonical(trial.config);
    std::erase_if(config.values, [&](const auto& entry) { return !names.contains(entry.first); });
    text += fmt::format("    {:>6}  {:<28} {:<8} {:<18} {:>9}  {}{}\n", trial.id, plain(config.text(), 28),
                        trial.verdict, plain(trial.failure_class, 18), duration_text(trial.wall_s),
                        trial.reused ? "(reused) " : "", plain(trial.message, 100));
  }
  return text;
}

std::string notes_text(const ExperimentReport& result, const Style& style) {
  std::string text;
  for (const SkippedValue& skipped : result.answer.skipped)
    text += fmt::format("{}skipped {}: {}\n", style.item, safe(style, skipped.value),
                        safe(style, skipped.failure_class));
  for (const auto* list : {&result.answer.warnings, &result.warnings})
    for (const std::string& warning : *list)
      text += fmt::format("{}warning: {}\n", style.item, safe(style, warning, 600));
  text += fmt::format("{}time: {} in all, {} compiling\n", style.item, duration_text(result.seconds.wall),
                      duration_text(result.seconds.compiling));
  return text;
}

std::string identities_text(const ReportedExperiment& one, const Style& style) {
  std::string text;
  for (const ReportIdentity& identity : one.identities) {
    if (identity.text.empty()) continue;
    text += fmt::format("{}toolchain from trial {}: {}\n", style.item, identity.first_trial,
                        safe(style, on_one_line(identity.text)));
  }
  if (one.identities.size() > 1)
    text += fmt::format("{}the toolchain changed: only trials of the last one make the answer\n", style.item);
  return text;
}

/// The trial that shows the answer best: a failing one at first_bad, else the last one told.
RowId telling_trial(const ReportedExperiment& one) {
  const Answer& answer = one.result.answer;
  RowId best = one.trials.empty() ? 0 : one.trials.back().id;
  for (const ReportTrial& trial : one.trials) {
    const auto values = config_from_canonical(trial.config).values;
    const auto value = values.find(answer.axis);
    if (trial.verdict == "bad" && value != values.end() && value->second == answer.first_bad) return trial.id;
    if (trial.verdict == "bad") best = trial.id;
  }
  return best;
}

std::string provenance_text(const Report& report, const Style& style) {
  std::string text = fmt::format("{}campaign {} revision {}, {}; brink {}\n", style.item,
                                 safe(style, report.campaign), report.revision, report.state, report.brink);
  if (!report.toolchain.empty())
    text += fmt::format("{}toolchain {}\n", style.item, safe(style, report.toolchain));
  if (!report.target.empty()) text += fmt::format("{}target {}\n", style.item, safe(style, report.target));
  if (!report.model.empty()) text += fmt::format("{}model {}\n", style.item, safe(style, report.model));
  if (!report.hosts.empty())
    text += fmt::format("{}made on {}\n", style.item, safe(style, join(report.hosts, ", ")));
  if (report.stand_in)
    text += style.item + "made with a stand-in compiler: it shows the method, not the product's behaviour\n";
  return text;
}

std::string rendered(const Report& report, const Style& style, const std::string& bold,
                     const std::string& normal) {
  const auto shown = [&](const std::string& line) { return style.markdown ? without_markup(line) : line; };
  std::string text;
  for (const ReportedExperiment& one : report.experiments) {
    const auto lines = answer_lines(one.result);
    const std::string gap = style.markdown ? "\n\n" : "\n";
    text +=
        style.heading + bold + shown(lines[0]) + normal + gap + shown(lines[1]) + gap + shown(lines[2]) + gap;
  }
  if (report.experiments.empty()) text += "nothing was asked\n";
  text += "\n";
  for (const ReportedExperiment& one : report.experiments) {
    text += fmt::format("{}{} ({})\n", style.heading, safe(style, one.result.name), one.result.kind);
    text += intervals_text(one.result, style) + notes_text(one.result, style) + identities_text(one, style);
    if (!one.trials.empty()) text += "\n" + style.fence + trials_table(one) + style.fence;
    text += "\n";
  }
  text += provenance_text(report, style);
  for (const ReportedExperiment& one : report.experiments) {
    const RowId trial = telling_trial(one);
    if (trial == 0) continue;
    text += fmt::format("\n{0}look further:  brink show {1}\nrun it again:  brink rerun {1}\n{0}",
                        style.fence, trial);
    break;
  }
  return text;
}

}  // namespace

std::string report_text(const Report& report, const TextOptions& options) {
  return rendered(report, kPlain, options.colour ? "\x1b[1m" : "", options.colour ? "\x1b[0m" : "");
}

std::string report_markdown(const Report& report) { return rendered(report, kMarkdown, "", ""); }

}  // namespace brink
