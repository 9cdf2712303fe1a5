#include "harness/cli/session.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>

#include <cstdlib>

#include "harness/core/error.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "harness/execution/local.hpp"

extern char** environ;

namespace brink::cli {

namespace {

/// How long a second Ctrl-C still means "stop what runs".
constexpr std::chrono::seconds kSecondSignal{5};

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::filesystem::path own_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : program.parent_path();
}

}  // namespace

std::map<std::string, std::string> our_environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!all.contains("PATH")) all["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return all;
}

std::vector<std::filesystem::path> toolchain_folders(const std::filesystem::path& store) {
  std::vector<std::filesystem::path> folders{store / "toolchains"};
  const auto environment = our_environment();
  if (const auto xdg = environment.find("XDG_CONFIG_HOME"); xdg != environment.end() && !xdg->second.empty())
    folders.push_back(std::filesystem::path(xdg->second) / "brink" / "toolchains");
  else if (const auto home = environment.find("HOME"); home != environment.end())
    folders.push_back(std::filesystem::path(home->second) / ".config" / "brink" / "toolchains");
  folders.push_back(own_folder().parent_path() / "share" / "brink" / "toolchains");
  folders.emplace_back(BRINK_TOOLCHAINS);
  return folders;
}

std::filesystem::path supervisor_program() {
  const auto own = own_folder();
  for (const auto& file :
       {own / "brink-supervise", own.parent_path() / "libexec" / "brink" / "brink-supervise"})
    if (::access(file.c_str(), X_OK) == 0) return file;
  throw infrastructure_error("brink-supervise is not beside brink", (own / "brink-supervise").string(),
                             "build or install the whole project");
}

std::filesystem::path store_folder(const Options& options) {
  std::optional<std::filesystem::path> asked;
  if (const auto value = options.value("store")) asked = *value;
  return find_store(asked, std::filesystem::current_path());
}

std::vector<OptionSpec> store_options() {
  return {{"store", 0, "DIR",
           "the results store (default: $BRINK_STORE, the nearest .brink/, else .brink/ here)", false},
          {"json", 0, "", "one JSON object on stdout", false},
          {"help", 'h', "", "this text", false}};
}

Session::Session(Store& store, int slots, bool json, const std::string& what)
    : lock_(store.lock_runner(what)), progress_(json ? Progress::Style::silent : Progress::Style::automatic) {
  executor_ = make_local_executor(supervisor_program(), slots, signals_.descriptor());
  RunnerSettings settings;
  settings.slots = slots;
  settings.environment = our_environment();
  settings.host = host_name();
  settings.brink_version = BRINK_VERSION;
  settings.watch = [this](const Event& event) { progress_.show(event, *runner_); };
  settings.interrupted = [this] { return signals_.first().has_value(); };
  runner_ = std::make_unique<Runner>(store, *executor_, std::move(settings));
  runner_->adopt();
}

std::optional<int> Session::work(std::optional<RowId> campaign) {
  if (runner_->work(campaign)) {
    progress_.clear();
    return std::nullopt;
  }
  interruption_ = leave();
  return interruption_;
}

std::optional<TrialRow> Session::execute(RowId campaign, RowId experiment, const Config& config,
                                         const std::string& purpose) {
  auto trial = runner_->execute(campaign, experiment, config, purpose);
  progress_.clear();
  if (!trial) interruption_ = leave();
  return trial;
}

int Session::leave() {
  progress_.clear();
  const int signal = signals_.first().value_or(SIGTERM);
  const auto underway = runner_->underway();
  for (const auto& trial : underway)
    fmt::print(stderr, "trial {} ({}, {}) goes on; `brink run` adopts it, `brink cancel {}` stops it\n",
               trial.trial, for_terminal(trial.config), duration_text(trial.seconds), trial.trial);
  std::fflush(stderr);
  if (!underway.empty() && signals_.another_within(kSecondSignal)) {
    runner_->cancel_all();
    progress_.clear();
    fmt::print(stderr, "stopped; what was cancelled is no evidence\n");
  } else {
    executor_->detach();
  }
  return 128 + signal;
}

}  // namespace brink::cli
