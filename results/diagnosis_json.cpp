#include "results/diagnosis_json.hpp"

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"

namespace brink {

using nlohmann::json;

namespace {

json conflict_json(const Conflict& conflict) {
  return {{"group", conflict.group},
          {"node", conflict.node},
          {"bucket", conflict.bucket},
          {"successor", conflict.successor},
          {"successor_bucket", conflict.successor_bucket},
          {"layer", conflict.layer ? json(*conflict.layer) : json()},
          {"role", conflict.role}};
}

Conflict conflict_of(const json& object) {
  Conflict conflict;
  conflict.group = object.at("group");
  conflict.node = object.at("node");
  conflict.bucket = object.at("bucket");
  conflict.successor = object.at("successor");
  conflict.successor_bucket = object.at("successor_bucket");
  if (!object.at("layer").is_null()) conflict.layer = object.at("layer").get<int>();
  conflict.role = object.at("role");
  return conflict;
}

json failure_json(const Failure& failure) {
  json object = {{"class", failure.failure_class},
                 {"stage", failure.stage},
                 {"group", failure.group},
                 {"message", failure.message},
                 {"excerpt", failure.excerpt},
                 {"signature", failure.signature},
                 {"text_digest", failure.text_digest},
                 {"cause", failure.cause},
                 {"conflicts", json::array()},
                 {"rows", failure.rows}};
  for (const Conflict& conflict : failure.conflicts) object["conflicts"].push_back(conflict_json(conflict));
  return object;
}

Failure failure_of(const json& object) {
  Failure failure;
  failure.failure_class = object.at("class");
  failure.stage = object.at("stage");
  failure.group = object.at("group");
  failure.message = object.at("message");
  failure.excerpt = object.at("excerpt");
  failure.signature = object.at("signature");
  failure.text_digest = object.at("text_digest");
  failure.cause = object.at("cause");
  for (const json& conflict : object.at("conflicts")) failure.conflicts.push_back(conflict_of(conflict));
  object.at("rows").get_to(failure.rows);
  return failure;
}

}  // namespace

std::string_view diagnosis_kind_text(Diagnosis::Kind kind) {
  switch (kind) {
    case Diagnosis::Kind::succeeded:
      return "succeeded";
    case Diagnosis::Kind::failed:
      return "failed";
    case Diagnosis::Kind::skipped:
      return "skipped";
    case Diagnosis::Kind::infrastructure:
      return "infrastructure";
  }
  return "";
}

std::string diagnosis_to_json(const Diagnosis& diagnosis) {
  const json object = {{"kind", diagnosis_kind_text(diagnosis.kind)},
                       {"failure", diagnosis.failure ? failure_json(*diagnosis.failure) : json()},
                       {"notes", diagnosis.notes},
                       {"stand_in", diagnosis.stand_in}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Diagnosis diagnosis_from_json(std::string_view text) {
  const auto unreadable = [](const std::string& why) {
    return Error(Exit::infrastructure, "store", "a diagnosis in the store cannot be read: " + why);
  };
  try {
    const json object = json::parse(text);
    Diagnosis diagnosis;
    const std::string kind = object.at("kind");
    bool known = false;
    for (const auto each : {Diagnosis::Kind::succeeded, Diagnosis::Kind::failed, Diagnosis::Kind::skipped,
                            Diagnosis::Kind::infrastructure})
      if (kind == diagnosis_kind_text(each)) {
        diagnosis.kind = each;
        known = true;
      }
    if (!known) throw unreadable("its kind is unknown");
    if (!object.at("failure").is_null()) diagnosis.failure = failure_of(object.at("failure"));
    diagnosis.notes = object.at("notes").get<std::vector<std::string>>();
    diagnosis.stand_in = object.at("stand_in");
    return diagnosis;
  } catch (const json::exception& error) {
    throw unreadable(error.what());
  }
}

}  // namespace brink
