#include <fmt/core.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/one_liner.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/work.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

std::vector<OptionSpec> all_options() {
  auto options = command_options();
  const auto more = search_options();
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

const char* const kNotes =
    "Axes: a..b, a..b..step, a.. (open), a..b:log2, a..b:down (larger is easier), x,y,z.\n"
    "{name} in an argument or an --env value stands for the value; {{ and }} are braces.\n"
    "Exit codes: 0 good, 125 skip, 126 and 127 infrastructure, others and signals bad.\n"
    "The key of a trial is the argument vector, the program and arguments that are files, the folder, --env "
    "and\n"
    "--identity. What a script calls in turn brink cannot see: name it with --identity 'g++ --version'.";

int one_liner(ExperimentKind kind, const std::string& word, const Options& options) {
  std::vector<std::string> warnings;
  const Campaign campaign = ad_hoc_campaign(kind, options, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", for_terminal(warning));
  Store store(store_folder(options), Store::Mode::write);
  return work_and_report(store, campaign, options.has("fresh"), options.has("json"), true,
                         "brink " + word + " (" + campaign.name + ")");
}

}  // namespace

const Usage& threshold_usage() {
  static const Usage usage{"threshold AXIS [options] -- COMMAND [ARGUMENT…]",
                           "Finds the value at which the command begins to fail, and confirms it.",
                           all_options(), kNotes, true};
  return usage;
}

const Usage& sweep_usage() {
  static const Usage usage{"sweep AXIS… [options] -- COMMAND [ARGUMENT…]", "Tries every config of the grid.",
                           all_options(), kNotes, true};
  return usage;
}

int threshold_command(const Options& options) {
  return one_liner(ExperimentKind::threshold, "threshold", options);
}

int sweep_command(const Options& options) { return one_liner(ExperimentKind::sweep, "sweep", options); }

}  // namespace brink::cli
