#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink {

namespace {

using nlohmann::ordered_json;

constexpr AnswerKind kKinds[] = {AnswerKind::none,          AnswerKind::threshold,
                                 AnswerKind::nothing_fails, AnswerKind::everything_fails,
                                 AnswerKind::intervals,     AnswerKind::only_other_failures,
                                 AnswerKind::bracket,       AnswerKind::sweep};

std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// A value of an axis: an integer where it is one, exactly, else text.
ordered_json value_json(const std::string& value) {
  const auto number = parse_int(value);
  if (!number) return to_utf8(value);
  if (*number < 0) return static_cast<std::int64_t>(*number);
  return static_cast<std::uint64_t>(*number);
}

std::string value_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ordered_json optional_json(const std::optional<std::string>& value) {
  return value ? value_json(*value) : ordered_json();
}

std::optional<std::string> optional_of(const ordered_json& value) {
  return value.is_null() ? std::nullopt : std::optional(value_of(value));
}

ordered_json interval_json(const Interval& interval) {
  ordered_json object = {{"from", value_json(interval.from)},
                         {"to", value_json(interval.to)},
                         {"verdict", verdict_text(interval.verdict)}};
  if (interval.verdict != Verdict::good) object["signature"] = interval.signature;
  object["probed"] = value_json(to_text(interval.probed));
  return object;
}

ordered_json point_json(const SweepPoint& point) {
  ordered_json object;
  object["config"] = ordered_json::parse(point.config, nullptr, false);
  object["verdict"] = point.verdict ? ordered_json(verdict_text(*point.verdict)) : ordered_json();
  object["class"] = to_utf8(point.failure_class);
  object["signature"] = point.signature;
  return object;
}

ordered_json answer_json(const ExperimentReport& report) {
  const Answer& answer = report.answer;
  ordered_json object = {{"kind", answer_kind_text(answer.kind)},
                         {"axis", to_utf8(answer.axis)},
                         {"last_good", optional_json(answer.last_good)},
                         {"first_bad", optional_json(answer.first_bad)},
                         {"confidence", answer.confidence}};
  object["failure"] = nullptr;
  if (report.failure)
    object["failure"] = {{"class", to_utf8(report.failure->failure_class)},
                         {"signature", report.failure->signature},
                         {"message", to_utf8(report.failure->message)},
                         {"cause", to_utf8(report.failure->cause)}};
  object["intervals"] = ordered_json::array();
  for (const Interval& interval : answer.intervals) object["intervals"].push_back(interval_json(interval));
  if (answer.kind == AnswerKind::sweep) {
    object["points"] = ordered_json::array();
    for (const SweepPoint& point : answer.points) object["points"].push_back(point_json(point));
  }
  return object;
}

ordered_json warnings_json(const ExperimentReport& report) {
  auto warnings = ordered_json::array();
  for (const auto* list : {&report.answer.warnings, &report.warnings})
    for (const std::string& warning : *list) warnings.push_back(to_utf8(warning));
  return warnings;
}

ordered_json experiment_object(const ExperimentReport& report) {
  const Holes& holes = report.answer.holes;
  ordered_json object = {{"name", to_utf8(report.name)}, {"kind", report.kind}, {"state", report.state}};
  object["answer"] = answer_json(report);
  object["holes"] = {{"tried", holes.tried}, {"found", holes.found}};
  object["holes"]["excluded_share"] =
      holes.excluded_share ? ordered_json(*holes.excluded_share) : ordered_json();
  object["holes"]["confidence"] = holes.confidence;
  object["trials"] = report.trials;
  object["probed"] = report.probed;
  object["reused"] = report.reused;
  object["skipped"] = ordered_json::array();
  for (const SkippedValue& skipped : report.answer.skipped)
    object["skipped"].push_back(
        {{"value", value_json(skipped.value)}, {"class", to_utf8(skipped.failure_class)}});
  object["seconds"] = {{"wall", report.seconds.wall},
                       {"compiling", report.seconds.compiling},
                       {"saved_early", report.seconds.saved_early}};
  object["warnings"] = warnings_json(report);
  object["stand_in"] = report.stand_in;
  object["reused_from_ms"] = report.first_reused_ms;
  object["reused_to_ms"] = report.last_reused_ms;
  return object;
}

AnswerKind kind_of(const std::string& text) {
  for (const AnswerKind kind : kKinds)
    if (text == answer_kind_text(kind)) return kind;
  throw Error(Exit::infrastructure, "store", "unknown kind of answer " + for_terminal(text));
}

Verdict verdict_of(const ordered_json& value) {
  const auto verdict = parse_verdict(value.get<std::string>());
  if (!verdict) throw Error(Exit::infrastructure, "store", "unknown verdict " + for_terminal(value.dump()));
  return *verdict;
}

void read_answer(const ordered_json& object, ExperimentReport& report) {
  Answer& answer = report.answer;
  answer.kind = kind_of(object.at("kind"));
  answer.axis = object.at("axis");
  answer.last_good = optional_of(object.at("last_good"));
  answer.first_bad = optional_of(object.at("first_bad"));
  answer.confidence = object.at("confidence");
  if (const auto& failure = object.at("failure"); !failure.is_null()) {
    report.failure = ReportFailure{failure.at("class"), failure.at("signature"), failure.at("message"),
                                   failure.at("cause")};
    answer.signature = report.failure->signature;
  }
  for (const auto& one : object.at("intervals")) {
    const auto probed = parse_int(value_of(one.at("probed")));
    answer.intervals.push_back({value_of(one.at("from")), value_of(one.at("to")),
                                verdict_of(one.at("verdict")), one.value("signature", ""),
                                probed.value_or(0)});
  }
  if (!object.contains("points")) return;
  for (const auto& one : object.at("points")) {
    SweepPoint point{one.at("config").dump(), std::nullopt, one.at("signature"), one.at("class")};
    if (!one.at("verdict").is_null()) point.verdict = verdict_of(one.at("verdict"));
    answer.points.push_back(std::move(point));
  }
}

ExperimentReport read_experiment(const ordered_json& object) {
  ExperimentReport report;
  report.name = object.at("name");
  report.kind = object.at("kind");
  report.state = object.at("state");
  read_answer(object.at("answer"), report);
  report.answer.answered = report.state == "answered";
  const auto& holes = object.at("holes");
  report.answer.holes = {holes.at("tried"), holes.at("found"), std::nullopt, holes.at("confidence")};
  if (!holes.at("excluded_share").is_null())
    report.answer.holes.excluded_share = holes.at("excluded_share").get<double>();
  report.trials = object.at("trials");
  report.probed = object.at("probed");
  report.reused = object.at("reused");
  for (const auto& one : object.at("skipped"))
    report.answer.skipped.push_back({value_of(one.at("value")), one.at("class")});
  const auto& seconds = object.at("seconds");
  report.seconds = {seconds.at("wall"), seconds.at("compiling"), seconds.at("saved_early")};
  report.warnings = object.at("warnings").get<std::vector<std::string>>();
  report.stand_in = object.at("stand_in");
  report.first_reused_ms = object.at("reused_from_ms");
  report.last_reused_ms = object.at("reused_to_ms");
  return report;
}

}  // namespace

std::string experiment_to_json(const ExperimentReport& report) { return dump(experiment_object(report)); }

ExperimentReport experiment_from_json(std::string_view json) {
  try {
    return read_experiment(ordered_json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    throw Error(Exit::infrastructure, "store",
                std::string("a stored answer cannot be read: ") + error.what());
  }
}

std::string report_json(const Report& report) {
  ordered_json object = {{"schema", "brink.report/1"}, {"brink", report.brink}};
  object["campaign"] = {
      {"name", to_utf8(report.campaign)}, {"revision", report.revision}, {"state", report.state}};
  object["stand_in"] = report.stand_in;
  object["experiments"] = ordered_json::array();
  for (const ReportedExperiment& one : report.experiments) {
    object["experiments"].push_back(experiment_object(one.result));
    auto& identities = object["experiments"].back()["identities"] = ordered_json::array();
    for (const ReportIdentity& identity : one.identities)
      identities.push_back({{"first_trial", identity.first_trial}, {"identity", to_utf8(identity.text)}});
  }
  object["provenance"] = {{"toolchain", to_utf8(report.toolchain)},  {"target", to_utf8(report.target)},
                          {"model", to_utf8(report.model)},          {"hosts", report.hosts},
                          {"brink_versions", report.brink_versions}, {"submitted_ms", report.submitted_ms}};
  return dump(object);
}

}  // namespace brink
