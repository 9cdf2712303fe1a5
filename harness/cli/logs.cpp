#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/diagnosis/log.hpp"

namespace brink::cli {

namespace {

constexpr std::chrono::milliseconds kFollow{200};

/// To a terminal nothing that moves its cursor or changes its colours; to a file or pipe the bytes as they
/// are.
void write_piece(const std::string& piece, bool terminal) {
  const std::string safe = terminal ? for_terminal(piece, true) : piece;
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) != safe.size())
    throw infrastructure_error("standard output cannot be written");
}

}  // namespace

const Usage& logs_usage() {
  static const Usage usage = [] {
    auto options = store_options();
    options.push_back({"follow", 'f', "", "go on while the trial runs", false});
    return Usage{"logs TRIAL [-f] [options]", "The log of a trial.", options, "", false};
  }();
  return usage;
}

int logs_command(const Options& options) {
  const auto id = options.positional().size() == 1 ? parse_int(options.positional().front()) : std::nullopt;
  if (!id || *id < 1 || *id > INT64_MAX)
    throw usage_error("takes the number of one trial", "", "`brink trials` lists them");
  const auto trial = static_cast<RowId>(*id);
  const Store store(store_folder(options), Store::Mode::read);
  const auto row = store.trial(trial);
  if (!row) throw usage_error("there is no trial " + std::to_string(trial), "", "`brink trials` lists them");
  const bool json = options.has("json");
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const auto file = store.trial_folder(trial) / "log";
  auto reader = std::make_unique<LogReader>(file);
  std::string whole, piece;
  bool any = false;
  for (bool running = row->state == "running";;) {
    while (reader->next(piece)) {
      any = true;
      if (json)
        whole += piece;
      else
        write_piece(piece, terminal);
    }
    if (!running || !options.has("follow")) break;
    std::fflush(stdout);
    std::this_thread::sleep_for(kFollow);
    // Opened before the supervisor made it, it was no file.
    if (!any) reader = std::make_unique<LogReader>(file);
    const auto now = store.trial(trial);
    // One more round after the end: what was written last is read, too.
    running = now && now->state == "running";
  }
  if (json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"schema", "brink.log/1"}, {"trial", trial}, {"log", to_utf8(whole)}}.dump());
  return 0;
}

}  // namespace brink::cli
