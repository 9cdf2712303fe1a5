#include <fmt/core.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/core/text.hpp"
#include "results/listing.hpp"

namespace brink::cli {

namespace {

constexpr int kDefaultListed = 1000;

RowId trial_number(const Options& options) {
  const auto id = options.positional().size() == 1 ? parse_int(options.positional().front()) : std::nullopt;
  if (!id || *id < 1 || *id > INT64_MAX)
    throw usage_error("takes the number of one trial", "", "`brink trials` lists them");
  return static_cast<RowId>(*id);
}

}  // namespace

const Usage& show_usage() {
  static const Usage usage{
      "show TRIAL [options]",
      "Everything about one trial: config, commands, outcome, failure, excerpt of its log.", store_options(),
      "", false};
  return usage;
}

int show_command(const Options& options) {
  const RowId id = trial_number(options);
  const Store store(store_folder(options), Store::Mode::read);
  const auto trial = store.trial(id);
  if (!trial) throw usage_error("there is no trial " + std::to_string(id), "", "`brink trials` lists them");
  fmt::print("{}", options.has("json") ? trial_json(store, *trial) + "\n" : trial_text(store, *trial));
  return 0;
}

const Usage& trials_usage() {
  static const Usage usage = [] {
    auto options = store_options();
    options.push_back({"last", 'n', "N", "only the newest N (1000; --json: all)", false});
    return Usage{"trials [CAMPAIGN] [options]", "Every trial, oldest first.", options, "", false};
  }();
  return usage;
}

int trials_command(const Options& options) {
  const Store store(store_folder(options), Store::Mode::read);
  int most = options.has("json") ? -1 : kDefaultListed;
  if (const auto text = options.value("last")) {
    const auto value = parse_int(*text);
    if (!value || *value < 1 || *value > 1'000'000'000)
      throw usage_error("\"" + for_terminal(*text) + "\" is not a number of at least 1", "--last");
    most = static_cast<int>(*value);
  }
  std::optional<std::string> campaign;
  if (!options.positional().empty()) {
    campaign = options.positional().front();
    if (options.positional().size() > 1) throw usage_error("takes one campaign");
    if (!store.campaign(*campaign)) throw usage_error("there is no campaign " + for_terminal(*campaign));
  }
  fmt::print("{}", options.has("json") ? trials_json(store, campaign, most) + "\n"
                                       : trials_text(store, campaign, most));
  return 0;
}

const Usage& status_usage() {
  static const Usage usage{"status [options]", "Campaigns, what runs now, and whether a runner is at work.",
                           store_options(), "", false};
  return usage;
}

int status_command(const Options& options) {
  if (!options.positional().empty())
    throw usage_error("takes no argument", "", "`brink report CAMPAIGN` says more");
  const Store store(store_folder(options), Store::Mode::read);
  fmt::print("{}", options.has("json") ? status_json(store) + "\n" : status_text(store));
  return 0;
}

}  // namespace brink::cli
