#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/cli/progress.hpp"
#include "harness/cli/signals.hpp"
#include "harness/runner/runner.hpp"

namespace brink::cli {

/// Our environment, whole.
std::map<std::string, std::string> our_environment();
/// Folders of toolchain files after the campaign's own: the store's, the user's, the built-in ones.
std::vector<std::filesystem::path> toolchain_folders(const std::filesystem::path& store);
/// brink-supervise beside this program. Throws an infrastructure Error when it is missing.
std::filesystem::path supervisor_program();
/// The store that the options, the environment and the folder name.
std::filesystem::path store_folder(const Options& options);

/// --store and --json, which every command that reads the store takes.
std::vector<OptionSpec> store_options();

/// A runner at work: store, lock, executor, signals and view, taken in the right order and given back at the
/// end.
class Session {
 public:
  /// `what` goes into the lock's message ("brink threshold n=1..1000").
  Session(Store& store, int slots, bool json, const std::string& what);

  Runner& runner() { return *runner_; }
  /// Works it; on a signal prints what goes on and returns 128 + the signal, else nullopt.
  std::optional<int> work(std::optional<RowId> campaign);
  /// Runs one config; nullopt when a signal came (see `interruption`).
  std::optional<TrialRow> execute(RowId campaign, RowId experiment, const Config& config,
                                  const std::string& purpose);
  int interruption() const { return interruption_; }

 private:
  int leave();

  Descriptor lock_;
  Signals signals_;
  Progress progress_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Runner> runner_;
  int interruption_ = 0;
};

}  // namespace brink::cli
