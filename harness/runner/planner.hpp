#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/campaign.hpp"
#include "harness/core/config.hpp"
#include "harness/execution/container.hpp"
#include "harness/toolchain/plan.hpp"

namespace brink {

/// What turns configs of one campaign into jobs while one runner lives: the toolchain's identity as it is
/// now, the container engine, the environment, and the artifact cache of the store.
class Planner {
 public:
  /// `environment` is that of the runner: PATH, HOME, LANG, TMPDIR and names to pass through are taken from
  /// it.
  Planner(Campaign campaign, std::filesystem::path store_folder,
          std::map<std::string, std::string> environment);

  const Campaign& campaign() const { return campaign_; }

  /// Runs the identity commands (in the container when there is one; its self-test comes first). Call before
  /// plan(), and again when a program has changed. Throws an infrastructure Error.
  void establish_identity();
  /// Identity for people: output of the identity commands and the image, one line each.
  const std::string& identity_text() const { return identity_text_; }

  /// Stages with keys for a config; `folder` is the trial's. Nothing is written.
  TrialPlan plan(const Experiment& experiment, const Config& config, const std::filesystem::path& folder);
  /// What all configs of the experiment share: the key with the axes' values left out.
  std::string family(const Experiment& experiment);

  /// The job of a plan: model and graph written when they are not in the cache, folders made, cached stage
  /// outputs put in place (their stages are left out), containers wrapped, early patterns kept only where
  /// they decide the target.
  Job prepare(const Experiment& experiment, const Config& config, const TrialPlan& plan,
              const std::string& trial, const std::string& attempt, const std::filesystem::path& folder);
  /// Moves the outputs of stages that succeeded into the cache, by their keys, and removes the trial's
  /// scratch folders.
  void keep_outputs(const TrialPlan& plan, const std::vector<std::string>& succeeded,
                    const std::filesystem::path& folder) const;
  /// A file that the command itself makes: no input.
  void note_output(const std::filesystem::path& file) { digests_.note_output(file); }
  /// The argument vectors of a plan, values of passed environment never shown.
  std::vector<std::vector<std::string>> commands(const TrialPlan& plan) const;
  /// job.json as it may stay on disk: passed values replaced by "***". nullopt when there is nothing to hide.
  std::optional<std::string> masked_job(Job job) const;

 private:
  ContainerOptions container_options() const;
  std::string identity_in_container(const std::vector<std::string>& command) const;
  std::map<std::string, std::string> model_fields(const Config& config) const;
  std::filesystem::path model_folder(const std::string& model_key) const;
  std::map<std::filesystem::path, bool> mounts_of(const TrialPlan& plan,
                                                  const std::filesystem::path& folder) const;
  PlanInputs inputs_of(const Experiment& experiment, const Config& config,
                       const std::filesystem::path& folder) const;
  void wrap_in_containers(Job& job, const TrialPlan& plan) const;
  std::size_t place_cached_outputs(const TrialPlan& plan) const;

  Campaign campaign_;
  std::filesystem::path store_folder_;
  std::map<std::string, std::string> environment_;
  std::optional<Engine> engine_;
  std::vector<KeyPart> identity_;
  std::string identity_text_;
  FileDigests digests_;
};

}  // namespace brink
