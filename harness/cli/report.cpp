#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/cli/commands.hpp"
#include "harness/cli/session.hpp"
#include "harness/core/error.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "results/report.hpp"

namespace brink::cli {

namespace {

std::optional<int> revision_of(const Options& options) {
  const auto text = options.value("revision");
  if (!text) return std::nullopt;
  const auto value = parse_int(*text);
  if (!value || *value < 1 || *value > 1'000'000)
    throw usage_error("\"" + for_terminal(*text) + "\" is not a revision", "--revision");
  return static_cast<int>(*value);
}

CampaignRow asked_campaign(const Store& store, const Options& options) {
  const auto all = store.campaigns();
  if (options.positional().empty()) {
    if (all.empty())
      throw usage_error("the store has no campaign yet", "",
                        "`brink threshold …` or `brink run FILE` makes one");
    return all.front();
  }
  if (options.positional().size() != 1) throw usage_error("takes one campaign");
  const std::string& name = options.positional().front();
  if (const auto row = store.campaign(name, revision_of(options))) return *row;
  std::vector<std::string> names;
  for (const CampaignRow& row : all) names.push_back(row.name);
  if (options.has("revision") && store.campaign(name))
    throw usage_error("campaign " + for_terminal(name) + " has no such revision", "--revision");
  throw usage_error("there is no campaign " + for_terminal(name) + did_you_mean(name, names));
}

}  // namespace

const Usage& report_usage() {
  static const Usage usage = [] {
    auto options = store_options();
    options.push_back({"revision", 0, "N", "an older revision of the campaign", false});
    options.push_back({"markdown", 0, "", "Markdown, for an issue", false});
    return Usage{"report [CAMPAIGN] [options]", "The answer of a campaign (the newest), and why.", options,
                 "", false};
  }();
  return usage;
}

int report_command(const Options& options) {
  const Store store(store_folder(options), Store::Mode::read);
  const Report report = make_report(store, asked_campaign(store, options));
  if (options.has("json"))
    fmt::print("{}\n", report_json(report));
  else if (options.has("markdown"))
    fmt::print("{}", report_markdown(report));
  else
    fmt::print(
        "{}", report_text(report, {100, ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr}));
  return 0;
}

}  // namespace brink::cli
