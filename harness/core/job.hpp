#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brink {

struct Limits {
  std::chrono::milliseconds wall{std::chrono::hours{24}};
  std::optional<std::chrono::milliseconds> idle;             ///< silence of the log; off unless set
  std::optional<std::uint64_t> memory_bytes;                 ///< of the whole process tree
  std::optional<std::uint64_t> address_space_bytes;          ///< RLIMIT_AS, only on request
  std::chrono::milliseconds grace{std::chrono::seconds{5}};  ///< between TERM and KILL
};

/// A line of the log that answers the question: end the stage when it is seen.
struct EarlyPattern {
  std::string match;                 ///< RE2, searched in each line
  std::string verdict;               ///< "good" or "bad"
  std::vector<std::string> decides;  ///< failure classes that it decides; empty: none
  std::string stage;                 ///< "" for every stage
  bool operator==(const EarlyPattern&) const = default;
};

/// How to find and remove the container of a stage, whoever is alive.
struct ContainerHandle {
  std::string engine;  ///< path of podman or docker
  std::string name;    ///< unique: brink-TRIAL-ATTEMPT-STAGE
  std::filesystem::path cidfile;
  std::string cgroup_parent;                       ///< "" when none of ours
  std::map<std::string, std::string> environment;  ///< of the engine's client
};

/// One stage of a trial, ready to run: complete argument vector, environment and limits.
struct JobStage {
  std::string name;
  std::vector<std::string> argv;                   ///< argv[0] is resolved on the environment's PATH
  std::map<std::string, std::string> environment;  ///< complete; nothing is inherited
  std::filesystem::path directory;                 ///< working folder of the process
  Limits limits;
  std::vector<std::filesystem::path> outputs;  ///< must exist and be non-empty after exit 0
  std::vector<int> success{0};                 ///< exit codes after which the next stage may run
  std::vector<EarlyPattern> early;
  std::optional<ContainerHandle> container;
};

/// Programs and inputs that nobody may change while the trial runs (DESIGN 4.13).
struct WatchedFile {
  std::filesystem::path file;
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const WatchedFile&) const = default;
};

/// Everything brink-supervise needs; written as job.json in the trial's folder before anything starts.
struct Job {
  std::string trial;              ///< row id, decimal
  std::string attempt;            ///< unique per execution; outcome.json must carry it
  std::filesystem::path folder;   ///< absolute; holds job.json, outcome.json, lock, log
  std::vector<JobStage> stages;   ///< run in order; the first that does not succeed ends the job
  std::vector<std::string> keep;  ///< RE2: log lines kept (with context) when the log is cut
  std::vector<WatchedFile> watched;
  std::uint64_t log_cap_bytes = std::uint64_t{256} << 20;
  std::uint64_t disk_floor_bytes = std::uint64_t{16}
                                   << 20;  ///< a failure below this free space is infrastructure
  std::chrono::milliseconds settle{
      std::chrono::seconds{5}};  ///< silence awaited after an early match (at most 60 s)
};

std::string job_to_json(const Job& job);
/// Throws Error (code "job") on anything that job_to_json did not write.
Job job_from_json(std::string_view json);

}  // namespace brink
