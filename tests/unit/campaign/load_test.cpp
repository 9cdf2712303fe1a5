#include <catch2/catch.hpp>

#include "harness/toolchain/complaints.hpp"
#include "tests/unit/campaign/files.hpp"

using namespace brink;

namespace {

/// The first complaint, without the folder's path.
std::string complaint(const std::string& text) {
  const Folder folder;
  try {
    load_text(folder, text);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(error.code() == "campaign-file");
    const std::string prefix = folder.path().string() + "/", line = error.line();
    CHECK(line.find('\n') == std::string::npos);
    return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
  }
  return "none";
}

using Faults = std::vector<std::pair<std::string, std::string>>;

void check(const Faults& faults) {
  for (const auto& [text, expected] : faults) {
    CAPTURE(text);
    CHECK_THAT(complaint(text), Catch::Matchers::StartsWith(expected));
  }
}

const std::string kStart = std::string(kHead) + kModel;  // lines 1 to 5
const std::string kGood = kStart + kDepth;               // lines 6 to 9

/// One experiment, from line 6, with these lines after its name and kind.
std::string experiment(const std::string& lines) {
  return kStart + "[[experiment]]\nname = \"e\"\nkind = \"threshold\"\n" + lines;  // lines from 9
}

/// A campaign with its own toolchain; the stage's argv is in line 7.
std::string inline_toolchain(const std::string& argument, const std::string& axis) {
  return "[campaign]\nname = \"c\"\n[toolchain]\nname = \"g++\"\n[[stage]]\nname = \"run\"\nargv = "
         "[\"true\", \"" +
         argument + "\"]\n[[experiment]]\nname = \"e\"\nkind = \"threshold\"\naxis = { " + axis + " }\n";
}

}  // namespace

TEST_CASE("campaign file: everything of the contract is read", "[campaign]") {
  const Folder folder;
  const Campaign campaign = load_text(folder, R"toml([campaign]
name      = "finding"
toolchain = "dfc"
target    = { class = "topology", group = "tbt" }
limits    = { wall = "6h", memory = "24GiB" }
budget    = { trials = 200, hours = 300 }
priority  = 2
slots     = 3

[model]
preset = "qwen2.5-0.5b"
seed   = 13

[options]
level = 1

[script]
lines = ["a(b=0)", "c(d=1, e=2)"]

[[experiment]]
name = "depth"
kind = "threshold"
axis = { layers = "1..24" }
confidence = 0.99
holes = 0.25
false_bad = true
known = "4=good,24=bad"

[[experiment]]
name  = "grid"
kind  = "sweep"
after = "depth"
at    = { layers = "{depth.first_bad}" }
axis  = { script = ["", "x(y=1, z=2)"], level = [2, 3] }
holes = "off"
)toml");
  CHECK(campaign.name == "finding");
  CHECK(campaign.file == folder.path() / "c.toml");
  CHECK(campaign.directory == folder.path());
  CHECK(campaign.toolchain.name == "dfc");
  CHECK(campaign.target == Target{Target::Kind::failure_class, "topology", "tbt"});
  CHECK(campaign.limits.wall == std::chrono::hours(6));
  CHECK(campaign.limits.memory_bytes == std::uint64_t{24} << 30);
  CHECK(campaign.budget.trials == 200);
  CHECK(campaign.budget.seconds == 300.0 * 3600);
  CHECK(campaign.priority == 2);
  CHECK(campaign.slots == 3);
  CHECK(campaign.model.at("preset") == "qwen2.5-0.5b");
  CHECK(campaign.model.at("seed") == "13");
  CHECK(campaign.options.at("level") == "1");
  CHECK(campaign.script.size() == 2);
  REQUIRE(campaign.experiments.size() == 2);
  const Experiment& depth = campaign.experiments[0];
  CHECK(depth.kind == ExperimentKind::threshold);
  CHECK(depth.axes[0].text() == "1..24");
  CHECK(depth.confidence == 0.99);
  CHECK((!depth.holes.automatic && !depth.holes.off && depth.holes.share == 0.25));
  CHECK(depth.false_bad);
  CHECK(depth.known ==
        std::vector<std::pair<std::string, Verdict>>{{"4", Verdict::good}, {"24", Verdict::bad}});
  const Experiment& grid = campaign.experiments[1];
  CHECK(grid.after == "depth");
  CHECK(grid.at.at("layers") == "{depth.first_bad}");
  REQUIRE(grid.axes.size() == 2);
  CHECK(grid.holes.off);
}

TEST_CASE("campaign file: targets have their forms", "[campaign]") {
  const auto target = [](const std::string& value) {
    return load_text("[campaign]\nname = \"c\"\ntoolchain = \"dfc\"\ntarget = " + value + "\n" + kModel +
                     kDepth)
        .target;
  };
  CHECK(target("\"any\"") == Target{});
  CHECK(target("{ match = \"a.b\" }") == Target{Target::Kind::match, "a.b", ""});
  CHECK(target("{ signature = \"00ff\" }") == Target{Target::Kind::signature, "00ff", ""});
  CHECK(target("\"class:topology\"") == Target{Target::Kind::failure_class, "topology", ""});
}

TEST_CASE("campaign file: [campaign] and its values", "[campaign]") {
  const std::string more = std::string(kModel) + kDepth;
  const auto with = [&](const std::string& line) { return kHead + line + "\n" + more; };
  check({
      {"", "c.toml:1: [campaign] is missing; it needs a name and a toolchain"},
      {"[campaign]\nname = \n", "c.toml:2: no TOML: "},
      {"campaign = 4\n", "c.toml:1: campaign: is an integer; a table is needed"},
      {"[campaign]\ntoolchain = \"dfc\"\n" + more, "c.toml:1: [campaign]: name is missing"},
      {"[campaign]\nname = 4\ntoolchain = \"dfc\"\n" + more,
       "c.toml:2: [campaign] name: is an integer; a string is needed"},
      {"[campaign]\nname = \"\"\ntoolchain = \"dfc\"\n" + more,
       "c.toml:2: [campaign] name: is empty; use a short name on one line"},
      {"[campaign]\nname = \"c\"\n" + more,
       "c.toml:1: [campaign]: toolchain is missing; name one, or write a [toolchain] table"},
      {"[campaign]\nname = \"c\"\ntoolchain = \"dfx\"\n" + more,
       "c.toml:3: [campaign] toolchain: there is no toolchain \"dfx\"; did you mean dfc?"},
      {with("slotz = 1"), "c.toml:4: [campaign]: unknown key \"slotz\"; did you mean slots?"},
      {with("slots = 0"), "c.toml:4: [campaign] slots: 0 is out of range; 1 to 10000"},
      {with("slots = \"2\""), "c.toml:4: [campaign] slots: is a string; an integer is needed"},
      {with("target = { clas = \"a\" }"),
       "c.toml:4: [campaign] target: unknown key \"clas\"; did you mean class?"},
      {with("target = { group = \"a\" }"),
       "c.toml:4: [campaign] target: names no failure; one of class, match, signature"},
      {with("target = { class = \"a\", match = \"b\" }"),
       "c.toml:4: [campaign] target: names more than one failure; "},
      {with("target = { match = \"(\" }"), "c.toml:4: [campaign] target: '(' is not a regular expression: "},
      {with("target = { signature = \"xyz\" }"),
       "c.toml:4: [campaign] target: \"xyz\" is no signature; hex digits, as reports print"},
      {with("target = 1979-05-27"), "c.toml:4: [campaign] target: is a date or time; a string is needed"},
      {with("limits = { wall = -1 }"), "c.toml:4: [campaign] limits wall: \"-1\" is no duration; "},
      {with("limits = { memory = \"0\" }"), "c.toml:4: [campaign] limits memory: \"0\" is no size; "},
      {with("budget = { hours = 0 }"),
       "c.toml:4: [campaign] budget hours: is not positive; such as 12 or 0.5"},
      {with("budget = { trials = 0 }"), "c.toml:4: [campaign] budget trials: 0 is out of range; at least 1"},
      {with("budget = 3"), "c.toml:4: [campaign] budget: is an integer; a table is needed"},
      {kGood + "[modle]\n", "c.toml:10: unknown key \"modle\"; did you mean model?"},
  });
}

TEST_CASE("campaign file: model, options and script against the toolchain", "[campaign]") {
  check({
      {std::string(kHead) + kDepth,
       "c.toml:1: [model]: is missing; toolchain dfc needs one; write preset = "},
      {kHead + std::string("[model]\nlayerz = 4\n") + kDepth,
       "c.toml:5: [model]: unknown key \"layerz\"; did you mean layers?"},
      {kHead + std::string("[model]\nbase = \"m\"\n") + kDepth,
       "c.toml:5: [model] base: slicing a real checkpoint is not in this version; use preset and fields"},
      {kHead + std::string("[model]\nlayers = [4]\n") + kDepth, "c.toml:5: [model] layers: is a list; "},
      {kHead + std::string("[model]\nheads = 5\nkv_heads = 2\n") + kDepth, "c.toml:"},
      {kGood + "[options]\nlevle = 1\n",
       "c.toml:11: option levle: toolchain dfc has no such parameter; did you mean level?"},
      {kGood + "[options]\nlevel = 4\n", "c.toml:11: option level: 4 is greater than the largest, 3"},
      {kGood + "[options]\nlevel = \"x\"\n", "c.toml:11: option level: \"x\" is no integer"},
      {kGood + "[script]\nline = []\n", "c.toml:11: [script]: unknown key \"line\"; did you mean lines?"},
      {kGood + "[script]\nlines = [\"a\\nb\"]\n",
       "c.toml:11: [script] lines: one line holds a line break; write two lines"},
      {kGood + "[script]\nlines = [1]\n",
       "c.toml:11: [script] lines: holds an integer; a list of strings is needed"},
  });
}

TEST_CASE("campaign file: experiments", "[campaign]") {
  const std::string axis = "axis = { layers = \"1..24\" }\n";
  check({
      {kStart, "c.toml:1: no [[experiment]]; add one"},
      {kStart + "[experiment]\nname = \"e\"\n",
       "c.toml:6: experiment is a table, not a list of tables; write [[experiment]]"},
      {kStart + "[[experiment]]\nkind = \"sweep\"\n", "c.toml:6: [[experiment]]: name is missing"},
      {kGood + kDepth, "c.toml:11: experiment depth name: is there twice; give each experiment its own name"},
      {kStart + "[[experiment]]\nname = \"a.b\"\nkind = \"threshold\"\n" + axis,
       "c.toml:7: experiment a.b name: is no word; use letters, digits, _ and -"},
      {kStart + "[[experiment]]\nname = \"e\"\n" + axis, "c.toml:6: experiment e: kind is missing; "},
      {kStart + "[[experiment]]\nname = \"e\"\nkind = \"treshold\"\n" + axis,
       "c.toml:8: experiment e kind: \"treshold\" is no kind of experiment; did you mean threshold?"},
      {kStart + "[[experiment]]\nname = \"e\"\nkind = \"factor\"\nby = { nrep = [1] }\n" + axis,
       "c.toml:8: experiment e kind: \"factor\" is not in this version; threshold and sweep are"},
      {kStart + "[[experiment]]\nname = \"e\"\nkind = \"explain\"\nfeature = []\n" + axis,
       "c.toml:8: experiment e kind: \"explain\" is not in this version"},
      {experiment(""), "c.toml:6: experiment e: axis is missing; "},
      {experiment("axs = {}\n" + axis), "c.toml:9: experiment e: unknown key \"axs\"; did you mean axis?"},
      {experiment(axis + "by = { nrep = [1] }\n"), "c.toml:10: experiment e: unknown key \"by\"; "},
      {experiment(axis + "confidence = 1\n"),
       "c.toml:10: experiment e confidence: 1 is not between 0 and 1; such as 0.95"},
      {experiment(axis + "holes = \"some\"\n"),
       "c.toml:10: experiment e holes: is no share; a share such as 0.25, or \"off\""},
      {experiment(axis + "holes = 25\n"), "c.toml:10: experiment e holes: 25 is not between 0 and 1; "},
      {experiment(axis + "false_bad = 1\n"),
       "c.toml:10: experiment e false_bad: is an integer; true or false is needed"},
      {experiment(axis + "known = \"4\"\n"),
       "c.toml:10: experiment e known: \"4\" is no known verdict; write \"4=good,24=bad\""},
      {experiment(axis + "known = \"4=fine\"\n"),
       "c.toml:10: experiment e known: \"fine\" is no verdict; good, bad or skip"},
      {experiment(axis + "known = { 25 = \"bad\" }\n"),
       "c.toml:10: experiment e known: 25 is not on axis layers; its values are 1..24"},
      {experiment(axis + "after = \"depht\"\n"),
       "c.toml:10: experiment e after: there is no experiment \"depht\""},
      {kGood + "after = \"dept\"\n[[experiment]]\nname = \"dep\"\nkind = \"threshold\"\n" + axis,
       "c.toml:10: experiment depth after: there is no experiment \"dept\"; did you mean dep?"},
      {experiment(axis + "after = \"e\"\n"),
       "c.toml:10: experiment e after: the experiments wait for each other; let one be the first"},
      {kGood + "after = \"b\"\n[[experiment]]\nname = \"b\"\nkind = \"threshold\"\nafter = \"depth\"\n" +
           axis,
       "c.toml:10: experiment depth after: the experiments wait for each other; "},
  });
}

TEST_CASE("campaign file: axes", "[campaign]") {
  const auto with = [](const std::string& axis) { return experiment("axis = { " + axis + " }\n"); };
  check({
      {with("layers = \"8..4\""), "c.toml:9: axis layers: first 8 is greater than last 4; "},
      {with("layers = \"1..4..0\""), "c.toml:9: axis layers: step 0 is less than 1"},
      {with("layers = \"a..b\""), "c.toml:9: axis layers: \"a\" is not an integer"},
      {with("layers = \"\""), "c.toml:9: axis layers: the set is empty"},
      {with("layers = []"), "c.toml:9: axis layers: the set is empty"},
      {with("layers = [1, 1]"), "c.toml:9: axis layers: \"1\" is there twice"},
      {with("layers = [[1]]"), "c.toml:9: axis layers: holds a list; "},
      {with("layers = 4"), "c.toml:9: axis layers: is an integer; write \"1..24\" or a list of values"},
      {with("script = \"a(b=1, c=2)\""), "c.toml:9: axis script: is a string; write a list of script lines"},
      {with(""), "c.toml:9: experiment e axis: has 0 axes; a threshold has one"},
      {with("layers = \"1..2\", level = \"1..2\""), "c.toml:9: experiment e axis: has 2 axes; "},
      {with("layerz = \"1..2\""), "c.toml:9: axis layerz: is unknown: nothing uses it; did you mean layers?"},
      {with("idle = [\"a\", \"b\"]"), "c.toml:9: axis idle: no stage uses this parameter; "},
      {with("level = \"1..4\""), "c.toml:9: axis level: 4 is greater than the largest, 3"},
      {with("level = [0, 7, 1]"), "c.toml:9: axis level: 7 is greater than the largest, 3"},
      {with("layers = \"0..4\""), "c.toml:9: axis layers: "},
      {with("family = [\"llama\", \"gpt\"]"), "c.toml:9: axis family: "},
      {with("hidden = \"64..67\""), "c.toml:9: axis hidden: "},
      {kStart + "[[experiment]]\nname = \"e\"\nkind = \"sweep\"\naxis = { layers = \"1..\" }\n",
       "c.toml:9: experiment e axis: layers has no end; a sweep needs one: a..b"},
      {kStart + "[[experiment]]\nname = \"e\"\nkind = \"sweep\"\naxis = { layers = \"1..9999\", seed = "
                "\"1..9999\" }\n",
       "c.toml:9: experiment e axis: the grid has more than a million points; give it a step"},
  });
}

TEST_CASE("campaign file: fixed values of an experiment", "[campaign]") {
  const auto with = [](const std::string& at) {
    return kGood + "[[experiment]]\nname = \"e\"\nkind = \"threshold\"\naxis = { level = \"0..3\" }\n" + at;
  };
  check({
      {with("at = { layers = \"{depth.first_bad}\" }\n"),
       "c.toml:14: experiment e at.layers: experiment depth need not be answered before; write after = "
       "\"depth\""},
      {with("at = { layers = \"{dept.first_bad}\" }\nafter = \"depth\"\n"),
       "c.toml:14: experiment e at.layers: there is no experiment \"dept\"; did you mean depth?"},
      {with("at = { layers = \"{depth.worst}\" }\nafter = \"depth\"\n"),
       "c.toml:14: experiment e at.layers: {depth.worst} is no answer of an experiment; "},
      {with("at = { layers = \"{depth\" }\n"),
       "c.toml:14: experiment e at.layers: \"{depth\" has a { that is not closed; "},
      {with("at = { layres = 4 }\n"),
       "c.toml:14: experiment e at: \"layres\" is unknown: nothing uses it; did you mean layers?"},
      {with("at = { level = 1 }\n"), "c.toml:14: experiment e at: \"level\" is an axis, too; keep one"},
      {with("at = { layers = 0 }\n"), "c.toml:14: "},
      {with("at = { script = \"a({b)\" }\n"),
       "c.toml:14: experiment e at.script: \"a({b)\" has a { that is not "},
      {with("at = { layers = \"{depth.first_bad}\" }\nafter = \"depth\"\n"), "none"},
  });
}

TEST_CASE("campaign file: a toolchain of its own", "[campaign]") {
  check({
      {inline_toolchain("{n}", "n = \"1..9\""), "none"},
      {inline_toolchain("{nn}", "n = \"1..9\""),
       "c.toml:11: axis n: is unknown: nothing uses it; did you mean nn?"},
      {inline_toolchain("{n}{m}", "n = \"1..9\""),
       "c.toml:7: stage run: unknown placeholder {m}; did you mean {n}?"},
      {inline_toolchain("{n", "n = \"1..9\""), "c.toml:7: stage run: \"{n\" has a { that is not closed; "},
      {inline_toolchain("{n}", "n = \"1..9\"") + "[model]\nlayers = 1\n",
       "c.toml:12: [model]: toolchain g++ needs no model; remove it"},
      {inline_toolchain("{n}", "n = \"1..9\"") + "[script]\nlines = [\"a\"]\n",
       "c.toml:13: [script]: no stage of toolchain g++ reads a script; give a stage {script}"},
      {"[campaign]\nname = \"c\"\ntoolchain = \"dfc\"\n[toolchain]\nname = \"x\"\n" + std::string(kDepth),
       "c.toml:3: [campaign] toolchain: is named beside a [toolchain] table; keep one"},
      {"[campaign]\nname = \"c\"\n[toolchain]\nname = \"x\"\n" + std::string(kDepth),
       "c.toml:3: [toolchain]: has no [[stage]]; add one"},
      {"[campaign]\nname = \"c\"\n[toolchain]\nbase = \"dfx\"\n" + std::string(kDepth),
       "c.toml:4: [toolchain] base: there is no toolchain \"dfx\"; did you mean dfc?"},
      {"[campaign]\nname = \"c\"\n[toolchain]\nbase = \"dfc\"\n" + std::string(kModel) + kDepth, "none"},
  });
}

TEST_CASE("campaign file: a parameter without a default must be set", "[campaign]") {
  const Folder folder;
  const std::string text = inline_toolchain("{n}{arch}", "n = \"1..9\"") + "[parameters]\narch = { }\n";
  CHECK_THAT(complaint(text),
             Catch::Matchers::StartsWith("c.toml:8: experiment e: parameter arch has no value; "
                                         "set it in [options] or as an axis"));
  CHECK(complaint(text + "[options]\narch = \"a\"\n") == "none");
}

TEST_CASE("campaign file: a fault of the toolchain file names that file", "[campaign]") {
  const Folder folder;
  const auto broken = folder.write("broken.toml", "[toolchain]\nname = 4\n");
  const auto file = folder.write("c2.toml", "[campaign]\nname = \"c\"\ntoolchain = \"broken\"\n");
  try {
    load_campaign(file, {});
    FAIL("no complaint");
  } catch (const Error& error) {
    CHECK(error.code() == "toolchain-file");
    CHECK(error.where() == broken.string() + ":1");
  }
}

TEST_CASE("campaign file: the file is named as it was given", "[campaign]") {
  try {
    load_campaign("nowhere/c.toml", {});
    FAIL("no complaint");
  } catch (const Error& error) {
    CHECK(error.line() == "nowhere/c.toml: there is no such file");
  }
  CHECK_THROWS_AS(load_campaign("/dev/zero", {}), Error);
}

TEST_CASE("campaign file: what ships can be loaded", "[campaign]") {
  const std::filesystem::path experiments = std::filesystem::path(BRINK_TEST_DATA) / "../../experiments";
  int loaded = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(experiments)) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const auto folder = experiments / "toolchains";
    if (entry.path().parent_path().filename() == "toolchains") {
      CHECK_NOTHROW(load_toolchain(entry.path(), {folder}));
    } else {
      CHECK_NOTHROW(load_campaign(entry.path(), {folder}));
    }
    ++loaded;
  }
  CHECK(loaded >= 6);
}
