#include "harness/cli/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace po = boost::program_options;

namespace {

std::string registered(const OptionSpec& option) {
  return option.letter == 0 ? option.name : option.name + "," + option.letter;
}

/// What Program_options calls the arguments that are no options; no user can type it.
constexpr const char* kArgument = "\x01";

po::options_description described(const Usage& usage) {
  po::options_description all("options", 110, 60);
  for (const OptionSpec& option : usage.options) {
    if (option.value.empty())
      all.add_options()(registered(option).c_str(), option.help.c_str());
    else
      all.add_options()(registered(option).c_str(),
                        po::value<std::vector<std::string>>()->value_name(option.value), option.help.c_str());
  }
  return all;
}

std::vector<std::string> long_names(const Usage& usage) {
  std::vector<std::string> names;
  for (const OptionSpec& option : usage.options) names.push_back("--" + option.name);
  return names;
}

}  // namespace

std::optional<std::string> Options::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Options::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Options parse_options(const Usage& usage, const std::vector<std::string>& arguments) {
  Options options;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) {
    options.command_.assign(dashes + 1, arguments.end());
    if (!usage.takes_command)
      throw usage_error("this command takes nothing after --", "--", "usage: brink " + usage.synopsis);
  }
  try {
    namespace style = po::command_line_style;
    auto described_options = described(usage);
    described_options.add_options()(kArgument, po::value<std::vector<std::string>>());
    const po::parsed_options parsed =
        po::command_line_parser(std::vector<std::string>(arguments.begin(), dashes))
            .options(described_options)
            .positional(po::positional_options_description().add(kArgument, -1))
            .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next |
                   style::allow_short | style::allow_dash_for_short | style::short_allow_adjacent |
                   style::short_allow_next)
            .run();
    for (const auto& option : parsed.options) {
      if (option.position_key >= 0) {
        options.positional_.insert(options.positional_.end(), option.value.begin(), option.value.end());
        continue;
      }
      const auto spec = std::find_if(usage.options.begin(), usage.options.end(),
                                     [&](const OptionSpec& one) { return one.name == option.string_key; });
      auto& values = options.values_[option.string_key];
      if (spec != usage.options.end() && !spec->repeats && !values.empty() && !spec->value.empty())
        throw usage_error("given twice", "--" + option.string_key);
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::unknown_option& error) {
    const std::string name = for_terminal(error.get_option_name());
    throw usage_error("unknown option" + did_you_mean(name, long_names(usage)), name);
  } catch (const po::error_with_option_name& error) {
    throw usage_error("needs a value, or takes none", for_terminal(error.get_option_name()),
                      "usage: brink " + usage.synopsis);
  } catch (const po::error& error) {
    throw usage_error(for_terminal(error.what()), "", "usage: brink " + usage.synopsis);
  }
  return options;
}

std::string help_text(const Usage& usage) {
  std::ostringstream text;
  text << "usage: brink " << usage.synopsis << "\n\n" << usage.summary << "\n";
  if (!usage.options.empty()) text << "\n" << described(usage);
  if (!usage.notes.empty()) text << "\n" << usage.notes << "\n";
  return text.str();
}

}  // namespace brink::cli
