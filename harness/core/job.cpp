#include "harness/core/job.hpp"

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"

namespace brink {

using nlohmann::json;

namespace {

constexpr int kSchema = 1;

json limits_json(const Limits& limits) {
  json object = {{"wall_ms", limits.wall.count()}, {"grace_ms", limits.grace.count()}};
  if (limits.idle) object["idle_ms"] = limits.idle->count();
  if (limits.memory_bytes) object["memory_bytes"] = *limits.memory_bytes;
  if (limits.address_space_bytes) object["address_space_bytes"] = *limits.address_space_bytes;
  return object;
}

Limits limits_of(const json& object) {
  Limits limits;
  limits.wall = std::chrono::milliseconds(object.at("wall_ms").get<std::int64_t>());
  limits.grace = std::chrono::milliseconds(object.at("grace_ms").get<std::int64_t>());
  if (object.contains("idle_ms"))
    limits.idle = std::chrono::milliseconds(object.at("idle_ms").get<std::int64_t>());
  if (object.contains("memory_bytes")) limits.memory_bytes = object.at("memory_bytes").get<std::uint64_t>();
  if (object.contains("address_space_bytes"))
    limits.address_space_bytes = object.at("address_space_bytes").get<std::uint64_t>();
  return limits;
}

json stage_json(const JobStage& stage) {
  json object = {{"name", stage.name},
                 {"argv", stage.argv},
                 {"environment", stage.environment},
                 {"directory", stage.directory.string()},
                 {"limits", limits_json(stage.limits)},
                 {"success", stage.success},
                 {"outputs", json::array()},
                 {"early", json::array()}};
  for (const auto& output : stage.outputs) object["outputs"].push_back(output.string());
  for (const auto& early : stage.early)
    object["early"].push_back({{"match", early.match},
                               {"verdict", early.verdict},
                               {"decides", early.decides},
                               {"stage", early.stage}});
  if (stage.container)
    object["container"] = {{"engine", stage.container->engine},
                           {"name", stage.container->name},
                           {"cidfile", stage.container->cidfile.string()},
                           {"cgroup_parent", stage.container->cgroup_parent},
                           {"environment", stage.container->environment}};
  return object;
}

JobStage stage_of(const json& object) {
  JobStage stage;
  stage.name = object.at("name");
  stage.argv = object.at("argv").get<std::vector<std::string>>();
  stage.environment = object.at("environment").get<std::map<std::string, std::string>>();
  stage.directory = object.at("directory").get<std::string>();
  stage.limits = limits_of(object.at("limits"));
  stage.success = object.at("success").get<std::vector<int>>();
  for (const auto& output : object.at("outputs")) stage.outputs.emplace_back(output.get<std::string>());
  for (const auto& early : object.at("early"))
    stage.early.push_back({early.at("match"), early.at("verdict"), early.at("decides"), early.at("stage")});
  if (object.contains("container")) {
    const json& container = object.at("container");
    stage.container = ContainerHandle{container.at("engine"), container.at("name"),
                                      container.at("cidfile").get<std::string>(),
                                      container.at("cgroup_parent"), container.at("environment")};
  }
  return stage;
}

}  // namespace

std::string job_to_json(const Job& job) {
  json object = {{"schema", kSchema},
                 {"trial", job.trial},
                 {"attempt", job.attempt},
                 {"folder", job.folder.string()},
                 {"stages", json::array()},
                 {"keep", job.keep},
                 {"watched", json::array()},
                 {"log_cap_bytes", job.log_cap_bytes},
                 {"disk_floor_bytes", job.disk_floor_bytes},
                 {"settle_ms", job.settle.count()}};
  for (const auto& stage : job.stages) object["stages"].push_back(stage_json(stage));
  for (const auto& file : job.watched)
    object["watched"].push_back({{"file", file.file.string()},
                                 {"device", file.device},
                                 {"inode", file.inode},
                                 {"size", file.size},
                                 {"mtime_ns", file.mtime_ns}});
  // Arguments may hold any bytes; JSON holds text only, so bytes that are not UTF-8 are refused when a plan
  // is made.
  return object.dump(1, ' ', false, json::error_handler_t::replace);
}

Job job_from_json(std::string_view text) {
  try {
    const json object = json::parse(text);
    if (object.at("schema") != kSchema)
      throw Error(Exit::infrastructure, "job", "job.json is of another version of brink");
    Job job;
    job.trial = object.at("trial");
    job.attempt = object.at("attempt");
    job.folder = object.at("folder").get<std::string>();
    for (const auto& stage : object.at("stages")) job.stages.push_back(stage_of(stage));
    job.keep = object.at("keep").get<std::vector<std::string>>();
    for (const auto& file : object.at("watched"))
      job.watched.push_back({file.at("file").get<std::string>(), file.at("device"), file.at("inode"),
                             file.at("size"), file.at("mtime_ns")});
    job.log_cap_bytes = object.at("log_cap_bytes");
    job.disk_floor_bytes = object.at("disk_floor_bytes");
    job.settle = std::chrono::milliseconds(object.at("settle_ms").get<std::int64_t>());
    return job;
  } catch (const json::exception& error) {
    throw Error(Exit::infrastructure, "job", std::string("job.json cannot be read: ") + error.what());
  }
}

}  // namespace brink
