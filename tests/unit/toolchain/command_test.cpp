#include <catch2/catch.hpp>

#include "harness/core/error.hpp"
#include "harness/toolchain/toolchain.hpp"

using namespace brink;

namespace {

using Words = std::vector<std::string>;

template <typename Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.line();
  }
  return "none";
}

}  // namespace

TEST_CASE("command: identity commands split as a shell would", "[toolchain]") {
  CHECK(split_command("g++ --version") == Words{"g++", "--version"});
  CHECK(split_command("  a\t'b c'  \"d e\"f g\\ h ") == Words{"a", "b c", "d ef", "g h"});
  CHECK(split_command("sh -c 'echo \"x\" \\n'") == Words{"sh", "-c", "echo \"x\" \\n"});
  CHECK(split_command("a '' b") == Words{"a", "", "b"});
  CHECK(complaint([] { split_command("a 'b"); }) == "command \"a 'b\" has a quote that is not closed");
  CHECK(complaint([] { split_command("  "); }) == "the command is empty; write it as 'g++ --version'");
  CHECK(complaint([] { split_command("a\\"); }) == "command \"a\\\" ends with a backslash");
}

TEST_CASE("command: one stage called run, named after the program", "[toolchain]") {
  const Toolchain toolchain = command_toolchain({"./bin/try.sh", "{n}"}, {"g++ --version"});
  CHECK(toolchain.name == "try.sh");
  REQUIRE(toolchain.stages.size() == 1);
  CHECK(toolchain.stages[0].name == "run");
  CHECK(toolchain.stages[0].argv == Words{"./bin/try.sh", "{n}"});
  CHECK(toolchain.identity == std::vector<Words>{{"g++", "--version"}});
  CHECK(complaint([] { command_toolchain({}, {}); }) ==
        "there is no command; write it after --, as in: -- ./try.sh {n}");
}

TEST_CASE("command: axes and placeholders must fit each other", "[toolchain]") {
  Toolchain toolchain = command_toolchain({"./try.sh", "{n}"}, {});
  CHECK(complaint([&] { check_axes_used(toolchain, {"n"}); }) == "none");
  CHECK(complaint([&] { check_axes_used(toolchain, {"m"}); }) ==
        "unknown placeholder {n}; did you mean {m}?");
  CHECK(complaint([&] {
          check_axes_used(toolchain, {"n", "m"});
        }) == "axis m is used by no argument; write {m} where its value belongs");
  toolchain.environment["SIZE"] = "{m}";
  CHECK(complaint([&] { check_axes_used(toolchain, {"n", "m"}); }) == "none");
  toolchain.environment["SIZE"] = "{layer}";
  CHECK(complaint([&] {
          check_axes_used(toolchain, {"n", "layers"});
        }) == "--env SIZE: unknown placeholder {layer}; did you mean {layers}?");
}

TEST_CASE("command: identity commands get the environment that no axis changes", "[toolchain]") {
  Toolchain toolchain = command_toolchain({"./try.sh"}, {});
  toolchain.folder = "/t";
  toolchain.environment = {{"A", "{toolchain}/lib"}, {"B", "{n}"}, {"C", "{{n}}"}};
  CHECK(identity_environment(toolchain) == std::map<std::string, std::string>{{"A", "/t/lib"}, {"C", "{n}"}});
}
