#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/toolchain/placeholders.hpp"
#include "harness/toolchain/plan.hpp"
#include "harness/toolchain/toolchain.hpp"

namespace brink {

namespace {

std::string program_name(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name.empty() ? program : name;
}

}  // namespace

std::vector<std::string> split_command(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (++i == text.size())
        throw usage_error("command \"" + for_terminal(text) + "\" ends with a backslash");
      words.back() += text[i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw usage_error("command \"" + for_terminal(text) + "\" has a quote that is not closed");
  if (words.empty()) throw usage_error("the command is empty", "", "write it as 'g++ --version'");
  return words;
}

Toolchain command_toolchain(std::vector<std::string> argv,
                            const std::vector<std::string>& identity_shell_commands) {
  if (argv.empty() || argv[0].empty())
    throw usage_error("there is no command", "", "write it after --, as in: -- ./try.sh {n}");
  Toolchain toolchain;
  toolchain.name = program_name(argv[0]);
  for (const std::string& command : identity_shell_commands)
    toolchain.identity.push_back(split_command(command));
  Stage run;
  run.name = "run";
  run.argv = std::move(argv);
  toolchain.stages.push_back(std::move(run));
  return toolchain;
}

std::map<std::string, std::string> identity_environment(const Toolchain& toolchain) {
  const auto is_fixed = [](const std::string& text) {
    const auto names = placeholders(text);
    return std::all_of(names.begin(), names.end(),
                       [](const std::string& name) { return name == "toolchain"; });
  };
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : toolchain.environment)
    if (is_fixed(value)) environment[name] = fill(value, {{"toolchain", toolchain.folder.string()}});
  return environment;
}

void check_axes_used(const Toolchain& toolchain, const std::vector<std::string>& axes) {
  std::vector<std::string> used;
  const auto check = [&](const std::string& text, const std::string& where) {
    for (const std::string& name : placeholders(text)) {
      if (std::find(axes.begin(), axes.end(), name) == axes.end())
        throw usage_error(unknown_placeholder(name, axes), where);
      used.push_back(name);
    }
  };
  for (const Stage& stage : toolchain.stages) {
    for (const std::string& argument : stage.argv) check(argument, "");
    for (const auto& [name, value] : stage.environment) check(value, "--env " + name);
  }
  for (const auto& [name, value] : toolchain.environment) check(value, "--env " + name);
  for (const std::string& axis : axes)
    if (std::find(used.begin(), used.end(), axis) == used.end())
      throw usage_error("axis " + axis + " is used by no argument", "",
                        "write {" + axis + "} where its value belongs");
}

}  // namespace brink
