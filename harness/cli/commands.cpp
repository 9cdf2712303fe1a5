#include "harness/cli/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

/// Words of the design that later versions will know: they get an answer of their own.
const std::vector<std::string> kLater{"frontier", "factor",     "minimise", "ablation",   "explain", "watch",
                                      "diff",     "signatures", "classify", "reclassify", "slice",   "bundle",
                                      "search",   "simulate",   "export",   "gc",         "doctor"};

std::string overview() {
  std::string text =
      "usage: brink COMMAND …\n\nFinds the brink at which a compiler stops working, and proves it.\n\n";
  for (const Command& command : commands())
    text += fmt::format("  {:<10} {}\n", command.name, command.usage().summary);
  return text +
         "\n`brink COMMAND --help` says more. First steps:\n"
         "  brink threshold n=1..1000 -- ./try.sh {n}\n"
         "  brink run experiments/quickstart.toml\n";
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"threshold", threshold_usage, threshold_command},
      {"sweep", sweep_usage, sweep_command},
      {"probe", probe_usage, probe_command},
      {"submit", submit_usage, submit_command},
      {"run", run_usage, run_command},
      {"cancel", cancel_usage, cancel_command},
      {"pause", pause_usage, pause_command},
      {"resume", resume_usage, resume_command},
      {"plan", plan_usage, plan_command},
      {"status", status_usage, status_command},
      {"report", report_usage, report_command},
      {"show", show_usage, show_command},
      {"trials", trials_usage, trials_command},
      {"logs", logs_usage, logs_command},
      {"rerun", rerun_usage, rerun_command},
      {"synth", synth_usage, synth_command},
  };
  return all;
}

bool wants_json(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), dashes, "--json") != dashes;
}

std::string error_json(const Error& error) {
  const nlohmann::ordered_json object = {{"schema", "brink.error/1"},
                                         {"error",
                                          {{"code", to_utf8(error.code())},
                                           {"message", to_utf8(error.message())},
                                           {"where", to_utf8(error.where())},
                                           {"remedy", to_utf8(error.remedy())}}}};
  return object.dump();
}

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw usage_error("no command", "", "`brink --help` lists them");
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    fmt::print("{}", overview());
    return 0;
  }
  if (name == "--version" || name == "version") {
    fmt::print("brink {}\n", BRINK_VERSION);
    return 0;
  }
  const auto command = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command& one) { return one.name == name; });
  if (command == commands().end()) {
    std::vector<std::string> names;
    for (const Command& one : commands()) names.push_back(one.name);
    if (std::find(kLater.begin(), kLater.end(), name) != kLater.end())
      throw usage_error("is not in this version", name, "known: " + join(names, ", "));
    throw usage_error("unknown command" + did_you_mean(name, names), for_terminal(name));
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const auto dashes = std::find(rest.begin(), rest.end(), "--");
  if (std::find(rest.begin(), dashes, "--help") != dashes ||
      std::find(rest.begin(), dashes, "-h") != dashes) {
    fmt::print("{}", help_text(command->usage()));
    return 0;
  }
  return command->execute(parse_options(command->usage(), rest));
}

}  // namespace brink::cli
