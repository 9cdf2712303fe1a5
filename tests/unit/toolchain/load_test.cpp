#include <catch2/catch.hpp>

#include "harness/toolchain/complaints.hpp"
#include "harness/toolchain/toolchain.hpp"
#include "tests/unit/toolchain/folder.hpp"

using namespace brink;

namespace {

/// The first complaint about a file of this text, without the folder's path.
std::string complaint(const std::string& text) {
  Folder folder;
  const auto file = folder.write("t.toml", text);
  try {
    load_toolchain(file, {});
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK(error.code() == "toolchain-file");
    const std::string prefix = folder.path().string() + "/";
    const std::string line = error.line();
    CHECK(line.find('\n') == std::string::npos);
    return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
  }
  return "none";
}

const std::string kHead = "[toolchain]\nname = \"x\"\n";
const std::string kStage = "[[stage]]\nname = \"run\"\nargv = [\"true\"]\n";

constexpr const char* kDfc = R"toml([toolchain]
name     = "dfc"
identity = [["python3", "-c", "print(1)"], "g++ --version"]
needs    = ["model", "onnx"]
pass_environment = ["LICENSE"]
exit_codes = { good = [0, 2], skip = [77] }

[parameters]
arch   = { type = "string", default = "hailo10h", one_of = ["hailo10h", "hailo15h"] }
defuse = { type = "integer", default = 0, min = 0 }

[environment]
USER = "root"

[container]
image   = "dfc-gfx906:5.3.0"
devices = ["/dev/kfd"]
groups  = ["render"]
mounts  = ["{toolchain}:/brink/toolchain:ro"]
options = ["--ipc=host"]
env     = { CUDA_VISIBLE_DEVICES = "0" }

[[stage]]
name    = "parse"
argv    = ["python3", "/brink/toolchain/driver.py", "parse", "{onnx}", "{out.har}"]
outputs = { har = "parsed.har" }
depends = ["arch"]

[[stage]]
name    = "compile"
argv    = ["python3", "/brink/toolchain/driver.py", "compile", "{in.har}", "{script}", "{out.hef}"]
inputs  = { har = "parse.har" }
outputs = { hef = "model.hef" }
depends = ["arch", "defuse", "script"]
limits  = { wall = "6h" }
resources = { cpus = 1, memory = "24GiB", gpus = 0 }

[[rule]]
class   = "topology"
stage   = "compile"
match   = 'Context-Partition topology error'
capture = '(?P<node>\S+) \((?P<bucket>\w+)\)'
repeat  = true
identify = ["node"]
sample  = "topology.log"

[[early]]
match   = 'Context-Partition topology error'
verdict = "bad"
decides = ["topology"]

[[recoverable]]
match = 'Recoverable single context error'
)toml";

}  // namespace

TEST_CASE("toolchain file: everything of the contract is read", "[toolchain]") {
  Folder folder;
  const Toolchain toolchain = load_toolchain(folder.write("dfc.toml", kDfc), {});
  CHECK(toolchain.name == "dfc");
  CHECK(toolchain.folder == folder.path());
  CHECK(toolchain.identity ==
        std::vector<std::vector<std::string>>{{"python3", "-c", "print(1)"}, {"g++", "--version"}});
  CHECK(toolchain.needs == std::set<std::string>{"model", "onnx"});
  CHECK(toolchain.pass_environment == std::vector<std::string>{"LICENSE"});
  CHECK(toolchain.environment.at("USER") == "root");
  CHECK(toolchain.rules.exit_codes.good == std::set<int>{0, 2});
  CHECK(toolchain.rules.exit_codes.skip == std::set<int>{77});
  REQUIRE(toolchain.parameters.size() == 2);
  CHECK(toolchain.parameters[0].one_of.size() == 2);
  CHECK(toolchain.parameters[1].fallback == "0");
  CHECK(toolchain.parameters[1].type == Parameter::Type::integer);
  REQUIRE(toolchain.container);
  CHECK(toolchain.container->image == "dfc-gfx906:5.3.0");
  CHECK(toolchain.container->environment.at("CUDA_VISIBLE_DEVICES") == "0");
  REQUIRE(toolchain.stages.size() == 2);
  CHECK(toolchain.stages[1].limits.wall == std::chrono::hours(6));
  CHECK(toolchain.stages[1].resources.memory_bytes == std::uint64_t{24} << 30);
  CHECK(toolchain.stages[1].depends == std::vector<std::string>{"arch", "defuse", "script"});
  REQUIRE(toolchain.rules.rules.size() == 1);
  CHECK(toolchain.rules.rules[0].repeat);
  CHECK(toolchain.rules.rules[0].identify == std::vector<std::string>{"node"});
  REQUIRE(toolchain.early.size() == 1);
  CHECK(toolchain.early[0].decides == std::vector<std::string>{"topology"});
  CHECK(toolchain.rules.recoverable.size() == 1);
}

TEST_CASE("toolchain file: every fault has one line with its place", "[toolchain]") {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"", "t.toml:1: [toolchain] is missing; it needs a name"},
      {"[toolchain\n", "t.toml:1: no TOML: "},
      {kHead, "t.toml:1: no [[stage]]; add one"},
      {"[toolchain]\nnmae = \"x\"\n" + kStage, "t.toml:1: [toolchain]: name is missing"},
      {kHead + "needs = [\"gguf\"]\n" + kStage,
       "t.toml:3: [toolchain] needs: \"gguf\" is nothing that can be made; \"model\", \"onnx\" or both"},
      {kHead + "idenity = []\n" + kStage,
       "t.toml:3: [toolchain]: unknown key \"idenity\"; did you mean identity?"},
      {kHead + "identity = \"g++\"\n" + kStage, "t.toml:3: [toolchain] identity: is a string; "},
      {kHead + "identity = [[\"a\", 1]]\n" + kStage,
       "t.toml:3: [toolchain] identity: is no list of commands"},
      {kHead + "base = \"nowhere\"\n", "t.toml:3: [toolchain] base: there is no toolchain \"nowhere\""},
      {kHead + "base = \"t\"\n", "t.toml:3: [toolchain] base: \"t\" leads back to this file"},
      {kHead + "exit_codes = { good = [0, 300] }\n" + kStage,
       "t.toml:3: [toolchain] exit_codes good: is no list of exit codes; write [0, 2]; codes are 0 to 255"},
      {kHead + "exit_codes = { bad = [1], skip = [1] }\n" + kStage,
       "t.toml:3: [toolchain] exit_codes bad: 1 is listed for another verdict, too"},
      {kHead + "[stages]\n" + kStage, "t.toml:3: unknown key \"stages\"; did you mean stage?"},
      {kHead + "[[stage]]\nargv = [\"a\"]\n", "t.toml:3: [[stage]]: name is missing"},
      {kHead + "[[stage]]\nname = \"a\"\n", "t.toml:3: stage a: argv is missing; "},
      {kHead + "[[stage]]\nname = \"a\"\nargv = []\n", "t.toml:5: stage a argv: is empty; "},
      {kHead + "[[stage]]\nname = \"a\"\nargv = \"true\"\n",
       "t.toml:5: stage a argv: is a string; a list is needed"},
      {kHead + "[[stage]]\nname = \"a\"\nargv = [\"a\", 4]\n",
       "t.toml:5: stage a argv: holds an integer; a list of strings is needed"},
      {kHead + kStage + kStage, "t.toml:6: stage run: is there twice; give each stage its own name"},
      {kHead + kStage + "output = { a = \"b\" }\n",
       "t.toml:6: stage run: unknown key \"output\"; did you mean outputs?"},
      {kHead + kStage + "outputs = { a = \"../b\" }\n",
       "t.toml:6: stage run outputs: a = \"../b\" is no file name; a plain name, without /"},
      {kHead + kStage + "inputs = { a = \"b.c\" }\n",
       "t.toml:6: stage run: input a: no earlier stage has the output \"b.c\"; write STAGE.NAME or the "
       "file's name"},
      {kHead + kStage +
           "outputs = { a = \"f\" }\n[[stage]]\nname = \"b\"\nargv = [\"x\"]\noutputs = { z = \"f\" }\n",
       "t.toml:10: stage b: output z: stage run writes \"f\" too; give each output its own file name"},
      {kHead + kStage + "depends = [\"level\"]\n",
       "t.toml:6: stage run: depends on \"level\", which is no parameter; known: script"},
      {kHead + kStage + "limits = { wall = \"6 parsecs\" }\n",
       "t.toml:6: stage run limits wall: \"6 parsecs\" is no duration; write it as \"90s\", \"45m\" or "
       "\"6h\""},
      {kHead + kStage + "limits = { walls = \"6h\" }\n",
       "t.toml:6: stage run limits: unknown key \"walls\"; did you mean wall?"},
      {kHead + kStage + "resources = { cpus = 0 }\n",
       "t.toml:6: stage run resources cpus: 0 is out of range; 1 to 100000"},
      {kHead + kStage + "resources = { memory = \"much\" }\n",
       "t.toml:6: stage run resources memory: \"much\" is no size; write it as \"24GiB\" or \"512MiB\""},
      {kHead + "[[stage]]\nname = \"a\"\nargv = [\"x\", \"{out.hef}\"]\n",
       "t.toml:5: stage a: {out.hef} is none of its outputs; declare it in outputs"},
      {kHead + "[[stage]]\nname = \"a\"\nargv = [\"x\", \"{in.har}\"]\n",
       "t.toml:5: stage a: {in.har} is none of its inputs; declare it in inputs"},
      {kHead + "[[stage]]\nname = \"a\"\nargv = [\"x\", \"{onnx}\"]\n",
       "t.toml:5: stage a: uses {onnx}, which the toolchain does not need; say needs = [\"onnx\"] in "
       "[toolchain]"},
      {kHead + "[[stage]]\nname = \"a\"\nargv = [\"x\", \"{open\"]\n",
       "t.toml:5: stage a: \"{open\" has a { that is not closed; write {{ for a brace"},
      {kHead + kStage + "[parameters]\na = 1\n", "t.toml:7: parameter a: is an integer; write a = { type = "},
      {kHead + kStage + "[parameters]\nmodel = { }\n",
       "t.toml:7: parameter model: {model} has a meaning of its own; "},
      {kHead + kStage + "[parameters]\na = { type = \"int\" }\n",
       "t.toml:7: parameter a type: \"int\" is no type; string, integer or boolean"},
      {kHead + kStage + "[parameters]\na = { type = \"integer\", default = \"x\" }\n",
       "t.toml:7: parameter a default: \"x\" is no integer"},
      {kHead + kStage + "[parameters]\na = { type = \"integer\", min = 3, max = 2 }\n",
       "t.toml:7: parameter a min: 3 is greater than max 2"},
      {kHead + kStage + "[parameters]\na = { default = \"c\", one_of = [\"a\", \"b\"] }\n",
       "t.toml:7: parameter a default: \"c\" is none of a, b"},
      {kHead + kStage + "[parameters]\na = { dflt = \"c\" }\n",
       "t.toml:7: parameter a: unknown key \"dflt\"; "},
      {kHead + kStage + "[container]\n", "t.toml:6: [container]: image is missing; "},
      {kHead + kStage + "[container]\nimage = \"a\"\nmounts = [\"a\"]\n",
       "t.toml:8: [container] mounts: \"a\" is no mount; write SRC:DST or SRC:DST:ro, both absolute"},
      {kHead + kStage + "[container]\nimage = \"a\"\nmounts = [\"{tool}:/b\"]\n",
       "t.toml:8: [container] mounts: unknown placeholder {tool}"},
      {kHead + kStage + "[container]\nimage = \"a\"\nengine = \"lxc\"\n",
       "t.toml:8: [container] engine: \"lxc\" is no engine; \"podman\" or \"docker\""},
      {kHead + kStage + "[container]\nimage = \"a\"\nrootfs = \"/\"\n",
       "t.toml:8: [container] rootfs: and image exclude each other; keep one"},
      {kHead + kStage + "[[rule]]\nclass = \"a\"\nmatch = \"(\"\n",
       "t.toml:8: rule 1 match: '(' is not a regular expression: "},
      {kHead + kStage + "[[rule]]\nmatch = \"a\"\n", "t.toml:6: rule 1: class is missing; "},
      {kHead + kStage + "[[rule]]\nclass = \"a\"\nmatch = \"a\"\nstage = \"rum\"\n",
       "t.toml:9: rule 1 stage: there is no stage \"rum\"; did you mean run?"},
      {kHead + kStage + "[[rule]]\nclass = \"a\"\nmatch = \"a\"\nidentify = [\"node\"]\n",
       "t.toml:9: rule 1 identify: \"node\" is no group of capture; write (?P<node>…) there"},
      {kHead + kStage + "[[early]]\nmatch = \"a\"\nverdict = \"skip\"\n",
       "t.toml:8: early 1 verdict: \"skip\" is no verdict that ends a stage; \"good\" or \"bad\""},
      {kHead + kStage + "[[early]]\nmatch = \"\"\nverdict = \"bad\"\n",
       "t.toml:7: early 1 match: is empty and would match every line"},
      {kHead + kStage + "[recoverable]\nmatch = \"a\"\n",
       "t.toml:6: recoverable is a table, not a list of tables; write [[recoverable]]"},
  };
  for (const auto& [text, expected] : faults) {
    CAPTURE(text);
    CHECK_THAT(complaint(text), Catch::Matchers::StartsWith(expected));
  }
}

TEST_CASE("toolchain file: all complaints are kept, lowest line first", "[toolchain]") {
  Folder folder;
  const auto file = folder.write("t.toml", kHead + "nneds = []\n" + kStage + "inputz = {}\n");
  try {
    load_toolchain(file, {});
    FAIL("no complaint");
  } catch (const FileError& error) {
    REQUIRE(error.complaints().size() == 2);
    CHECK(error.complaints()[0] == error.line());
    CHECK(error.complaints()[0].find("t.toml:3: ") != std::string::npos);
    CHECK(error.complaints()[1].find("t.toml:7: ") != std::string::npos);
  }
}

TEST_CASE("toolchain file: a base is overridden key by key", "[toolchain]") {
  Folder folder;
  folder.write("base/dfc.toml", kDfc);
  const auto file = folder.write("standin.toml", R"([toolchain]
name = "standin"
base = "dfc"
[container]
none = true
[environment]
PYTHONPATH = "{toolchain}/standin"
[parameters]
defuse = { type = "integer", default = 4 }
[[stage]]
name = "compile"
limits = { wall = "1m" }
[[rule]]
class = "planted"
match = "planted"
)");
  const Toolchain toolchain = load_toolchain(file, {folder.path() / "base"});
  CHECK(toolchain.name == "standin");
  CHECK(toolchain.folder == folder.path() / "base");
  CHECK_FALSE(toolchain.container);
  CHECK(toolchain.environment.size() == 2);
  CHECK(toolchain.parameters[1].fallback == "4");
  REQUIRE(toolchain.stages.size() == 2);
  CHECK(toolchain.stages[1].limits.wall == std::chrono::minutes(1));
  CHECK(toolchain.stages[1].argv.size() == 6);
  REQUIRE(toolchain.rules.rules.size() == 2);
  CHECK(toolchain.rules.rules[0].failure_class == "planted");

  const auto image = folder.write(
      "other.toml", "[toolchain]\nname = \"other\"\nbase = \"dfc\"\n[container]\nimage = \"b\"\n");
  const Toolchain other = load_toolchain(image, {folder.path() / "base"});
  REQUIRE(other.container);
  CHECK(other.container->image == "b");
  CHECK(other.container->devices == std::vector<std::string>{"/dev/kfd"});
}

TEST_CASE("toolchain file: found by name, or the nearest is named", "[toolchain]") {
  Folder folder;
  folder.write("a/dfc.toml", kDfc);
  folder.write("b/dfc.toml", kDfc);
  CHECK(find_toolchain("dfc", {folder.path() / "none", folder.path() / "a", folder.path() / "b"}) ==
        folder.path() / "a/dfc.toml");
  try {
    find_toolchain("dfx", {folder.path() / "a"});
    FAIL("found");
  } catch (const Error& error) {
    CHECK(error.line() == "there is no toolchain \"dfx\"; did you mean dfc?");
  }
  CHECK_THROWS_AS(find_toolchain("../a/dfc", {folder.path() / "b"}), Error);
}
