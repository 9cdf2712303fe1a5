#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/campaign/files.hpp"

using namespace brink;

TEST_CASE("config: defaults, then options, then fixed values, then the point", "[campaign]") {
  const Campaign campaign =
      load_text(std::string(kHead) + kModel + "[options]\nlevel = 1\n" + kDepth +
                "[[experiment]]\nname = \"e\"\nkind = \"threshold\"\nat = { level = 2 }\naxis = { layers = "
                "\"1..24\" }\n"
                "[[experiment]]\nname = \"f\"\nkind = \"threshold\"\naxis = { level = \"0..3\" }\n");
  const auto& experiments = campaign.experiments;
  CHECK(config_of(campaign, experiments[0], {16}).text() == "idle=x layers=17 level=1");
  CHECK(config_of(campaign, experiments[1], {0}).text() == "idle=x layers=1 level=2");
  CHECK(config_of(campaign, experiments[2], {3}).text() == "idle=x level=3");
}

TEST_CASE("config: a field of the model that an argument names is part of it", "[campaign]") {
  Campaign campaign = load_text(std::string(kHead) + kModel + kDepth);
  campaign.model = {{"hidden", "128"}, {"seed", "1"}};
  campaign.toolchain.stages[0].argv.push_back("{hidden}");
  CHECK(config_of(campaign, campaign.experiments[0], {0}).text() == "hidden=128 idle=x layers=1 level=0");
}

TEST_CASE("known axes: model fields only for toolchains that need a model", "[campaign]") {
  const auto has = [](const Campaign& campaign, const std::string& name) {
    const auto known = known_axes(campaign);
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  Campaign campaign = load_text(std::string(kHead) + kModel + kDepth);
  CHECK(has(campaign, "layers"));
  CHECK(has(campaign, "level"));
  CHECK(has(campaign, "script"));
  CHECK_FALSE(has(campaign, "onnx"));
  CHECK_FALSE(has(campaign, "out.hef"));
  campaign.toolchain = command_toolchain({"true", "{n}"}, {});
  CHECK(known_axes(campaign) == std::vector<std::string>{"n"});
}
