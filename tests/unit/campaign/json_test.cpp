#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "tests/unit/campaign/files.hpp"

using namespace brink;

namespace {

const std::string kText = std::string(kHead) +
                          "target = { match = \"x\" }\nslots = 2\nlimits = { wall = \"5m\" }\n" + kModel +
                          "[options]\nlevel = 1\n[script]\nlines = [\"a\"]\n" + kDepth +
                          "known = \"4=good\"\nholes = 0.3\n"
                          "[[experiment]]\nname = \"s\"\nkind = \"sweep\"\nafter = \"depth\"\n"
                          "at = { layers = \"{depth.first_bad}\" }\n"
                          "axis = { script = [\"\", \"a(b=1, c=2)\"], hidden = \"64..128..64:down\" }\n";

}  // namespace

TEST_CASE("stored campaign: everything comes back", "[campaign]") {
  Campaign campaign = load_text(kText);
  campaign.toolchain.container = ContainerOptions{};
  campaign.toolchain.container->image = "i";
  campaign.toolchain.container->environment = {{"A", "1"}};
  campaign.toolchain.rules.rules.push_back({"c", "compile", "m", "(?P<n>x)", true, {"n"}, "s"});
  campaign.toolchain.rules.recoverable = {"r"};
  campaign.toolchain.rules.exit_codes.bad = {3};
  campaign.toolchain.early.push_back({"m", "bad", {"c"}, ""});
  campaign.toolchain.environment = {{"N", "{layers}"}};
  campaign.toolchain.pass_environment = {"TOKEN"};
  campaign.keep_logs = true;
  const std::string json = campaign_to_json(campaign);
  const Campaign back = campaign_from_json(json);
  CHECK(campaign_to_json(back) == json);
  CHECK(back.toolchain == campaign.toolchain);
  CHECK(back.target == campaign.target);
  CHECK(back.limits == campaign.limits);
  CHECK(back.budget == campaign.budget);
  CHECK(back.model == campaign.model);
  CHECK(back.directory == campaign.directory);
  REQUIRE(back.experiments.size() == 2);
  CHECK(back.experiments[0].known == campaign.experiments[0].known);
  CHECK(back.experiments[0].holes == campaign.experiments[0].holes);
  CHECK(back.experiments[1].at == campaign.experiments[1].at);
  const auto& axes = back.experiments[1].axes;
  REQUIRE(axes.size() == 2);
  CHECK(axes[0].value(1) == "a(b=1, c=2)");
  CHECK(axes[1].text() == "64..128..64:down");
}

TEST_CASE("stored campaign: arguments may be any bytes", "[campaign]") {
  Campaign campaign;
  campaign.name = "c";
  campaign.toolchain = command_toolchain({"cat", std::string("\xff\xfe/{n}"), "\xef\xbf\xbd"}, {});
  campaign.toolchain.environment = {{"A\x80", "\xc3"}};
  const Campaign back = campaign_from_json(campaign_to_json(campaign));
  CHECK(back.toolchain == campaign.toolchain);
}

TEST_CASE("stored campaign: anything else is one clear error", "[campaign]") {
  for (const char* text : {"", "{", "[]", "4", "{}", "{\"name\": \"c\"}", "{\"name\": 4}"})
    CHECK_THROWS_AS(campaign_from_json(text), Error);
}

TEST_CASE("campaign digest: values count, the writing does not", "[campaign]") {
  const std::string digest = campaign_digest(load_text(kText));
  CHECK(campaign_digest(load_text("# note\n" + kText)) == digest);
  const std::string tables = std::string("[script]\nlines = [\"a\"]\n[options]\nlevel = 1\n");
  const std::string old_tables = "[options]\nlevel = 1\n[script]\nlines = [\"a\"]\n";
  std::string moved = kText;
  moved.replace(moved.find(old_tables), old_tables.size(), tables);
  CHECK(campaign_digest(load_text(moved)) == digest);

  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    return campaign_digest(load_text(text));
  };
  CHECK(changed("slots = 2", "slots = 3\npriority = 9") == digest);
  CHECK(changed("level = 1", "level = 2") != digest);
  CHECK(changed("1..24", "1..23") != digest);
  CHECK(changed("5m", "6m") != digest);
  CHECK(changed("[\"a\"]", "[\"b\"]") != digest);
  CHECK(changed("layers = 4", "layers = 4\nseed = 1") != digest);
}

TEST_CASE("campaign digest: where a one-liner runs is part of its question", "[campaign]") {
  Campaign campaign;
  campaign.ad_hoc = true;
  campaign.toolchain = command_toolchain({"true"}, {});
  campaign.directory = "/a";
  const std::string digest = campaign_digest(campaign);
  campaign.directory = "/b";
  CHECK(campaign_digest(campaign) != digest);
}
