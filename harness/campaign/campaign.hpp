#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/axis.hpp"
#include "harness/core/config.hpp"
#include "harness/core/verdict.hpp"
#include "harness/toolchain/toolchain.hpp"

namespace brink {

enum class ExperimentKind { threshold, sweep, frontier, factor, ablation, minimise, explain };
std::string_view kind_text(ExperimentKind kind);

struct HoleChoice {
  bool automatic = true, off = false;
  double share = 0;
  bool operator==(const HoleChoice&) const = default;
};

/// One question of a campaign.
struct Experiment {
  std::string name;
  ExperimentKind kind = ExperimentKind::threshold;
  std::string after;  ///< name of the experiment that comes before; "" none
  std::vector<Axis> axes;
  std::map<std::string, std::string> at;  ///< fixed values over the campaign's
  double confidence = 0.95;
  HoleChoice holes;
  bool false_bad = false;
  std::vector<std::pair<std::string, Verdict>> known;
};

struct Budget {
  std::optional<std::int64_t> trials;
  std::optional<double> seconds;
  bool operator==(const Budget&) const = default;
};

/// A file of experiments that share a toolchain, a base model and a target. Const after loading.
struct Campaign {
  std::string name;
  std::filesystem::path file;  ///< where it was read from; empty for a one-liner
  std::filesystem::path
      directory;  ///< where commands run: the caller's folder (one-liner) or the campaign file's
  Toolchain toolchain;
  Target target;
  LimitChoice limits;
  Budget budget;
  int priority = 0, slots = 1;
  std::map<std::string, std::string>
      model;  ///< fields of synth_models' spec ("preset", "layers", "seed", …); empty: none
  std::map<std::string, std::string> options;  ///< [options]
  std::vector<std::string> script;             ///< lines of the compile script
  std::vector<Experiment> experiments;
  bool ad_hoc = false;  ///< a one-liner
  bool keep_logs = false;
};

/// Reads and validates a campaign file completely. Every complaint is an Error (exit 2, code "campaign-file")
/// that begins with FILE:LINE. `toolchain_folders` is searched in order, after the file's own folder.
Campaign load_campaign(const std::filesystem::path& file,
                       const std::vector<std::filesystem::path>& toolchain_folders);

/// What the store keeps: everything, so that a queued campaign needs its file no more. campaign_from_json
/// inverts it.
std::string campaign_to_json(const Campaign& campaign);
Campaign campaign_from_json(std::string_view json_text);
/// Digest of the parsed values (not of the file's bytes, path, comments or order of tables; not of priority
/// and slots).
std::string campaign_digest(const Campaign& campaign);

/// The config of a point of an experiment: toolchain defaults, [options], `at`, then the axes' values.
/// Model fields (layers, nrep, …) among them are what experiment axes set on the model.
Config config_of(const Campaign& campaign, const Experiment& experiment, const Point& point);

/// The names an axis may have: model fields when the toolchain needs a model, its parameters, and "script".
std::vector<std::string> known_axes(const Campaign& campaign);

}  // namespace brink
