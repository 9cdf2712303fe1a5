#include <fmt/core.h>

#include <exception>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/core/text.hpp"

namespace {

/// `brink probe` is a `git bisect run` script: whatever is no verdict must stop the bisection.
constexpr int kProbeWithoutVerdict = 128;

int failed(const brink::Error& error, const std::vector<std::string>& arguments) {
  if (brink::cli::wants_json(arguments)) fmt::print("{}\n", brink::cli::error_json(error));
  fmt::print(stderr, "brink: {}\n", brink::for_terminal(error.line()));
  if (!arguments.empty() && arguments.front() == "probe") return kProbeWithoutVerdict;
  return static_cast<int>(error.exit());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const int code = brink::cli::run_command_line(arguments);
    // An answer that did not reach its reader is no success.
    if (std::fflush(stdout) != 0) throw brink::infrastructure_error("standard output cannot be written");
    return code;
  } catch (const brink::Error& error) {
    return failed(error, arguments);
  } catch (const std::exception& error) {
    return failed(brink::infrastructure_error(error.what()), arguments);
  }
}
