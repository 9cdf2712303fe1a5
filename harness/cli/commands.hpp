#pragma once

#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/core/error.hpp"

namespace brink::cli {

/// One subcommand. `execute` returns the exit code; it throws Error for what ends the command.
struct Command {
  std::string name;
  const Usage& (*usage)();
  int (*execute)(const Options& options);
};

/// Every command, in the order of the help.
const std::vector<Command>& commands();

/// Finds the command, parses, executes; answers --help and --version. Errors are thrown.
int run_command_line(const std::vector<std::string>& arguments);

/// Whether the arguments ask for JSON, before they are parsed: errors must be JSON then, too.
bool wants_json(const std::vector<std::string>& arguments);
/// The brink.error/1 object.
std::string error_json(const Error& error);

const Usage& threshold_usage();
const Usage& sweep_usage();
const Usage& probe_usage();
const Usage& submit_usage();
const Usage& run_usage();
const Usage& cancel_usage();
const Usage& pause_usage();
const Usage& resume_usage();
const Usage& plan_usage();
const Usage& status_usage();
const Usage& report_usage();
const Usage& show_usage();
const Usage& trials_usage();
const Usage& logs_usage();
const Usage& rerun_usage();
const Usage& synth_usage();

int threshold_command(const Options& options);
int sweep_command(const Options& options);
int probe_command(const Options& options);
int submit_command(const Options& options);
int run_command(const Options& options);
int cancel_command(const Options& options);
int pause_command(const Options& options);
int resume_command(const Options& options);
int plan_command(const Options& options);
int status_command(const Options& options);
int report_command(const Options& options);
int show_command(const Options& options);
int trials_command(const Options& options);
int logs_command(const Options& options);
int rerun_command(const Options& options);
int synth_command(const Options& options);

}  // namespace brink::cli
