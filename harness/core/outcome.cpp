#include "harness/core/outcome.hpp"

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace brink {

using nlohmann::json;

namespace {

constexpr int kSchema = 1;
constexpr Ending kEndings[] = {Ending::exited,        Ending::signalled,     Ending::timed_out,
                               Ending::out_of_memory, Ending::stopped_early, Ending::cancelled,
                               Ending::lost,          Ending::infrastructure};

json optional_json(const std::optional<int>& value) { return value ? json(*value) : json(); }

std::optional<int> optional_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<int>());
}

Ending ending_of(const json& value) {
  const auto ending = parse_ending(value.get<std::string>());
  if (!ending) throw Error(Exit::infrastructure, "outcome", "unknown ending " + for_terminal(value.dump()));
  return *ending;
}

json stage_json(const StageOutcome& stage) {
  return {{"name", stage.name},
          {"ending", ending_text(stage.ending)},
          {"exit_code", optional_json(stage.exit_code)},
          {"signal", optional_json(stage.signal)},
          {"killed_by", stage.killed_by},
          {"wall_s", stage.wall_s},
          {"cpu_s", stage.cpu_s},
          {"peak_memory_bytes", stage.peak_memory_bytes},
          {"memory_source", stage.memory_source},
          {"missing_outputs", stage.missing_outputs},
          {"early_pattern", optional_json(stage.early_pattern)},
          {"early_verdict", stage.early_verdict},
          {"early_decides", stage.early_decides}};
}

StageOutcome stage_of(const json& object) {
  StageOutcome stage;
  stage.name = object.at("name");
  stage.ending = ending_of(object.at("ending"));
  stage.exit_code = optional_of(object.at("exit_code"));
  stage.signal = optional_of(object.at("signal"));
  stage.killed_by = object.at("killed_by");
  stage.wall_s = object.at("wall_s");
  stage.cpu_s = object.at("cpu_s");
  stage.peak_memory_bytes = object.at("peak_memory_bytes");
  stage.memory_source = object.at("memory_source");
  stage.missing_outputs = object.at("missing_outputs").get<std::vector<std::string>>();
  stage.early_pattern = optional_of(object.at("early_pattern"));
  stage.early_verdict = object.at("early_verdict");
  stage.early_decides = object.at("early_decides").get<std::vector<std::string>>();
  return stage;
}

}  // namespace

std::string_view ending_text(Ending ending) {
  switch (ending) {
    case Ending::exited:
      return "exited";
    case Ending::signalled:
      return "signalled";
    case Ending::timed_out:
      return "timed-out";
    case Ending::out_of_memory:
      return "out-of-memory";
    case Ending::stopped_early:
      return "stopped-early";
    case Ending::cancelled:
      return "cancelled";
    case Ending::lost:
      return "lost";
    case Ending::infrastructure:
      return "infrastructure";
  }
  return "";
}

std::optional<Ending> parse_ending(std::string_view text) {
  for (const Ending ending : kEndings)
    if (text == ending_text(ending)) return ending;
  return std::nullopt;
}

std::string outcome_to_json(const Outcome& outcome) {
  json object = {{"schema", kSchema},
                 {"trial", outcome.trial},
                 {"attempt", outcome.attempt},
                 {"ending", ending_text(outcome.ending)},
                 {"infrastructure", outcome.infrastructure},
                 {"message", outcome.message},
                 {"started_ms", outcome.started_ms},
                 {"ended_ms", outcome.ended_ms},
                 {"wall_s", outcome.wall_s},
                 {"cpu_s", outcome.cpu_s},
                 {"peak_memory_bytes", outcome.peak_memory_bytes},
                 {"log_bytes", outcome.log_bytes},
                 {"log_cut_bytes", outcome.log_cut_bytes},
                 {"enforced", outcome.enforced},
                 {"stages", json::array()}};
  for (const auto& stage : outcome.stages) object["stages"].push_back(stage_json(stage));
  return object.dump(1, ' ', false, json::error_handler_t::replace);
}

Outcome outcome_from_json(std::string_view text) {
  try {
    const json object = json::parse(text);
    if (object.at("schema") != kSchema)
      throw Error(Exit::infrastructure, "outcome", "outcome.json is of another version of brink");
    Outcome outcome;
    outcome.trial = object.at("trial");
    outcome.attempt = object.at("attempt");
    outcome.ending = ending_of(object.at("ending"));
    outcome.infrastructure = object.at("infrastructure");
    outcome.message = object.at("message");
    outcome.started_ms = object.at("started_ms");
    outcome.ended_ms = object.at("ended_ms");
    outcome.wall_s = object.at("wall_s");
    outcome.cpu_s = object.at("cpu_s");
    outcome.peak_memory_bytes = object.at("peak_memory_bytes");
    outcome.log_bytes = object.at("log_bytes");
    outcome.log_cut_bytes = object.at("log_cut_bytes");
    outcome.enforced = object.at("enforced").get<std::vector<std::string>>();
    for (const auto& stage : object.at("stages")) outcome.stages.push_back(stage_of(stage));
    return outcome;
  } catch (const json::exception& error) {
    throw Error(Exit::infrastructure, "outcome", std::string("outcome.json cannot be read: ") + error.what());
  }
}

}  // namespace brink
