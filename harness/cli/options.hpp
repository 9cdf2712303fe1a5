#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brink::cli {

/// One option of a command. A `value` of "" makes it a flag.
struct OptionSpec {
  std::string name;
  char letter = 0;  ///< -j; 0: none
  std::string value;
  std::string help;
  bool repeats = false;
};

/// What a command takes, for parsing and for its help.
struct Usage {
  std::string synopsis;  ///< "threshold AXIS [options] -- COMMAND [ARGUMENT…]"
  std::string summary;   ///< one line
  std::vector<OptionSpec> options;
  std::string notes;           ///< printed after the options
  bool takes_command = false;  ///< something after --
};

/// Parsed arguments.
class Options {
 public:
  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
  const std::vector<std::string>& positional() const { return positional_; }
  const std::vector<std::string>& command() const { return command_; }

 private:
  friend Options parse_options(const Usage& usage, const std::vector<std::string>& arguments);
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positional_, command_;
};

/// Throws a usage Error naming the flag, with did-you-mean.
Options parse_options(const Usage& usage, const std::vector<std::string>& arguments);

std::string help_text(const Usage& usage);

}  // namespace brink::cli
