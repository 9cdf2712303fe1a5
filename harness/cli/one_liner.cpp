#include "harness/cli/one_liner.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"
#include "harness/toolchain/plan.hpp"

namespace brink::cli {

namespace {

template <typename Value>
Value required(std::optional<Value> value, const std::string& flag, const std::string& text,
               const std::string& remedy) {
  if (!value) throw usage_error("\"" + for_terminal(text) + "\" cannot be read", flag, remedy);
  return *value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::set<int> exit_codes(const std::string& text, const std::string& flag) {
  std::set<int> codes;
  for (const std::string& part : split(text, ',')) {
    const auto code = parse_int(part);
    if (!code || *code < 0 || *code > 255)
      throw usage_error("\"" + for_terminal(part) + "\" is not an exit code", flag,
                        "give numbers from 0 to 255, as in 0,2");
    codes.insert(static_cast<int>(*code));
  }
  return codes;
}

double share(const std::string& text, const std::string& flag) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0 && value < 1))
    throw usage_error("\"" + for_terminal(text) + "\" is not between 0 and 1", flag,
                      "as in " + flag + " .95");
  return value;
}

std::vector<Axis> axes_of(const Options& options) {
  std::vector<Axis> axes;
  for (const std::string& argument : options.positional()) {
    const auto equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_error("\"" + for_terminal(argument) + "\" is not an axis", "",
                        "write NAME=a..b, NAME=a.. or NAME=x,y,z, and the command after --");
    const std::string name = argument.substr(0, equals);
    if (std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name() == name; }))
      throw usage_error("is given twice", "axis " + for_terminal(name));
    axes.push_back(Axis::parse(name, argument.substr(equals + 1)));
  }
  return axes;
}

std::int64_t count_of(const std::string& text, const std::string& flag) {
  const auto value = parse_int(text);
  if (!value || *value < 1 || *value > 1'000'000'000)
    throw usage_error("\"" + for_terminal(text) + "\" is not a number of at least 1", flag);
  return static_cast<std::int64_t>(*value);
}

void take_environment(const Options& options, Toolchain& toolchain) {
  const auto ours = our_environment();
  for (const std::string& entry : options.values("env")) {
    const auto equals = entry.find('=');
    if (equals == 0 || entry.empty()) throw usage_error("needs NAME=VALUE or NAME", "--env");
    if (equals != std::string::npos) {
      toolchain.environment[entry.substr(0, equals)] = entry.substr(equals + 1);
    } else {
      if (!ours.contains(entry))
        throw usage_error(for_terminal(entry) + " is not set here", "--env",
                          "set it, or give --env NAME=VALUE");
      toolchain.pass_environment.push_back(entry);
    }
  }
}

void take_container(const Options& options, Toolchain& toolchain) {
  const auto image = options.value("container");
  for (const std::string flag : {"mount", "device", "engine"})
    if (!image && options.has(flag)) throw usage_error("needs --container IMAGE", "--" + flag);
  if (!image) return;
  ContainerOptions container;
  container.image = *image;
  container.engine = options.value("engine").value_or("");
  if (!container.engine.empty() && container.engine != "podman" && container.engine != "docker")
    throw usage_error("\"" + for_terminal(container.engine) + "\" is not an engine", "--engine",
                      "podman and docker are");
  container.mounts = options.values("mount");
  for (const std::string& mount : container.mounts)
    if (split(mount, ':').size() < 2)
      throw usage_error("\"" + for_terminal(mount) + "\" has no destination", "--mount",
                        "write SRC:DST or SRC:DST:ro");
  container.devices = options.values("device");
  toolchain.container = container;
}

void take_exit_codes(const Options& options, ExitCodes& codes) {
  if (const auto text = options.value("good")) codes.good = exit_codes(*text, "--good");
  if (const auto text = options.value("bad")) codes.bad = exit_codes(*text, "--bad");
  if (const auto text = options.value("skip")) codes.skip = exit_codes(*text, "--skip");
  for (const int code : codes.bad) {
    if (options.has("good") && codes.good.contains(code))
      throw usage_error("exit code " + std::to_string(code) + " is in --good, too", "--bad");
    codes.good.erase(code);
    if (!options.has("skip")) codes.skip.erase(code);
  }
  for (const int code : codes.skip) {
    if ((options.has("good") && codes.good.contains(code)) || codes.bad.contains(code))
      throw usage_error("exit code " + std::to_string(code) + " is in another list, too", "--skip");
    codes.good.erase(code);
  }
  for (const int code : codes.good)
    if (!options.has("skip")) codes.skip.erase(code);
}

void take_limits(const Options& options, Campaign& campaign) {
  if (const auto text = options.value("timeout"))
    campaign.limits.wall = required(parse_duration(*text), "--timeout", *text, "as in 90s, 5m, 2h");
  if (const auto text = options.value("memory"))
    campaign.limits.memory_bytes = required(parse_bytes(*text), "--memory", *text, "as in 512MiB, 4GiB");
  if (campaign.limits.wall && campaign.limits.wall->count() == 0)
    throw usage_error("must be more than nothing", "--timeout");
  if (campaign.limits.memory_bytes && *campaign.limits.memory_bytes == 0)
    throw usage_error("must be more than nothing", "--memory");
  if (const auto text = options.value("max-trials")) campaign.budget.trials = count_of(*text, "--max-trials");
  if (const auto text = options.value("max-time"))
    campaign.budget.seconds = std::chrono::duration<double>(
                                  required(parse_duration(*text), "--max-time", *text, "as in 90s, 5m, 2h"))
                                  .count();
  if (const auto text = options.value("jobs")) campaign.slots = static_cast<int>(count_of(*text, "-j"));
}

void take_search(const Options& options, Experiment& experiment) {
  if (const auto text = options.value("confidence")) experiment.confidence = share(*text, "--confidence");
  experiment.false_bad = options.has("false-bad");
  if (const auto text = options.value("holes")) {
    experiment.holes.automatic = false;
    experiment.holes.off = *text == "off";
    if (!experiment.holes.off) experiment.holes.share = share(*text, "--holes");
  }
  for (const std::string& text : options.values("known")) {
    for (const std::string& entry : split(text, ',')) {
      const auto equals = entry.rfind('=');
      const auto verdict =
          equals == std::string::npos ? std::nullopt : parse_verdict(entry.substr(equals + 1));
      if (!verdict)
        throw usage_error("\"" + for_terminal(entry) + "\" is not VALUE=good|bad|skip", "--known",
                          "as in 4=good,24=bad");
      const std::string value = entry.substr(0, equals);
      if (!experiment.axes.at(0).position(value))
        throw usage_error(for_terminal(value) + " is not on axis " + experiment.axes[0].name(), "--known");
      experiment.known.emplace_back(value, *verdict);
    }
  }
}

void check_shape(ExperimentKind kind, const Experiment& experiment) {
  if (experiment.axes.empty()) throw usage_error("no axis", "", "write NAME=a..b before --");
  if (kind == ExperimentKind::threshold && experiment.axes.size() != 1)
    throw usage_error("threshold takes one axis, not " + std::to_string(experiment.axes.size()),
                      "axis " + experiment.axes[1].name(), "use sweep for a grid");
}

/// Names every axis and every placeholder that do not belong together.
void check_used(const Campaign& campaign) {
  std::vector<std::string> used;
  const auto collect = [&](const std::string& text) {
    for (const std::string& name : placeholders(text)) used.push_back(name);
  };
  for (const std::string& argument : campaign.toolchain.stages.at(0).argv) collect(argument);
  for (const auto& [name, value] : campaign.toolchain.environment) collect(value);
  std::map<std::string, std::string> values;
  for (const Axis& axis : campaign.experiments.at(0).axes) values[axis.name()] = "";
  for (const std::string& argument : campaign.toolchain.stages[0].argv) fill(argument, values);
  for (const auto& [name, value] : campaign.toolchain.environment) fill(value, values);
  for (const auto& [name, value] : values)
    if (std::find(used.begin(), used.end(), name) == used.end())
      throw usage_error("no argument uses {" + for_terminal(name) + "}", "axis " + for_terminal(name),
                        "put {" + for_terminal(name) + "} where its value belongs");
}

void warn_of_engines(const std::vector<std::string>& argv, std::vector<std::string>& warnings) {
  if (argv.size() < 2) return;
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  if ((program == "docker" || program == "podman") && argv[1] == "run")
    warnings.push_back("`" + program +
                       " run` leaves its container running when it is killed; use --container IMAGE, and "
                       "brink names, limits and removes it");
}

}  // namespace

std::vector<OptionSpec> command_options() {
  auto options = store_options();
  const std::vector<OptionSpec> more{
      {"target", 0, "T",
       "the failure that counts: any, class:NAME, signature:HEX, match:REGEX (a bare word is match:)", false},
      {"good", 0, "CODES", "exit codes that mean good (0)", false},
      {"bad", 0, "CODES", "exit codes that mean bad though they would not (126, say)", false},
      {"skip", 0, "CODES", "exit codes that say nothing (125)", false},
      {"timeout", 0, "TIME", "wall limit of one trial (24h)", false},
      {"memory", 0, "BYTES", "memory limit of one trial (none)", false},
      {"env", 0, "NAME[=VALUE]", "set, or pass through, a variable of the command", true},
      {"identity", 0, "COMMAND", "a command whose output belongs to the key, as in 'g++ --version'", true},
      {"container", 0, "IMAGE", "run the command in a container of this image", false},
      {"mount", 0, "SRC:DST[:ro]", "mount a folder into it", true},
      {"device", 0, "DEVICE", "pass a device into it", true},
      {"engine", 0, "ENGINE", "podman or docker", false},
      {"keep-logs", 0, "", "keep logs uncompressed", false},
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<OptionSpec> search_options() {
  return {{"confidence", 0, "P", "asked of the answer (.95)", false},
          {"known", 0, "VALUE=VERDICT,…", "verdicts known from elsewhere: evidence, never a confirmed side",
           true},
          {"holes", 0, "SHARE|off", "exclude a hole share over this, at 95 %, by random extra probes", false},
          {"false-bad", 0, "", "a good config may fail, too", false},
          {"jobs", 'j', "K", "slots (1)", false},
          {"max-trials", 0, "N", "budget: trials", false},
          {"max-time", 0, "TIME", "budget: time", false},
          {"fresh", 0, "", "do not use stored trials", false}};
}

Campaign ad_hoc_campaign(ExperimentKind kind, const Options& options, std::vector<std::string>& warnings) {
  if (options.command().empty())
    throw usage_error("no command", "--", "write the command after --, as in -- ./try.sh {n}");
  Campaign campaign;
  campaign.ad_hoc = true;
  campaign.directory = std::filesystem::current_path();
  campaign.target = parse_target(options.value("target").value_or(""));
  if (campaign.target.kind == Target::Kind::match) check_pattern(campaign.target.value, "--target");
  Experiment experiment;
  experiment.kind = kind;
  experiment.axes = axes_of(options);
  check_shape(kind, experiment);
  experiment.name = experiment.axes.front().name();
  campaign.name = std::filesystem::path(options.command().front()).filename().string();
  for (const Axis& axis : experiment.axes) campaign.name += "-" + axis.name();
  campaign.toolchain = command_toolchain(options.command(), options.values("identity"));
  take_environment(options, campaign.toolchain);
  take_container(options, campaign.toolchain);
  take_exit_codes(options, campaign.toolchain.rules.exit_codes);
  take_limits(options, campaign);
  take_search(options, experiment);
  campaign.keep_logs = options.has("keep-logs");
  campaign.experiments.push_back(std::move(experiment));
  check_used(campaign);
  warn_of_engines(options.command(), warnings);
  return campaign;
}

}  // namespace brink::cli
