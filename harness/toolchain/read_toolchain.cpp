#include "harness/toolchain/read_toolchain.hpp"

#include <algorithm>

#include "harness/toolchain/plan.hpp"

namespace brink {

namespace {

/// Names of environment variables, as execve takes them.
bool is_variable(const std::string& name) {
  return !name.empty() && name.find('=') == std::string::npos && name.find('\0') == std::string::npos;
}

void read_identity(TableReader& head, Toolchain& toolchain, Complaints& complaints) {
  const TomlValue* value = head.any("identity");
  if (value == nullptr) return;
  toolchain.identity.clear();
  const std::string remedy = "write [[\"program\", \"--version\"]] or [\"program --version\"]";
  if (value->kind != TomlValue::Kind::array)
    return head.complain("identity", "is " + kind_words(value->kind), remedy);
  for (const TomlValue& item : value->items) {
    std::vector<std::string> argv;
    try {
      if (item.kind == TomlValue::Kind::string) argv = split_command(item.text);
    } catch (const Error& error) {
      complaints.add(item.line, "[toolchain] identity", error);
      continue;
    }
    for (const TomlValue& word : item.items)
      if (word.kind == TomlValue::Kind::string) argv.push_back(word.text);
    if (argv.empty() || argv.front().empty() ||
        (item.kind == TomlValue::Kind::array && argv.size() != item.items.size()))
      complaints.add(item.line, "[toolchain] identity", "is no list of commands", remedy);
    else
      toolchain.identity.push_back(std::move(argv));
  }
}

void read_codes(TableReader& reader, const std::string& key, std::set<int>& codes) {
  const TomlValue* value = reader.any(key);
  if (value == nullptr) return;
  codes.clear();
  bool right = value->kind == TomlValue::Kind::array;
  for (const TomlValue& item : value->items) {
    right = right && item.kind == TomlValue::Kind::integer && item.integer >= 0 && item.integer <= 255;
    if (right) codes.insert(static_cast<int>(item.integer));
  }
  if (!right) reader.complain(key, "is no list of exit codes", "write [0, 2]; codes are 0 to 255");
}

void read_exit_codes(TableReader& head, Toolchain& toolchain, Complaints& complaints) {
  const TomlValue* table = head.table("exit_codes");
  if (table == nullptr) return;
  TableReader reader(*table, "[toolchain] exit_codes", complaints);
  ExitCodes& codes = toolchain.rules.exit_codes;
  read_codes(reader, "good", codes.good);
  read_codes(reader, "bad", codes.bad);
  read_codes(reader, "skip", codes.skip);
  reader.finish();
  // What is listed wins over a default for another verdict.
  const auto take_back = [](std::set<int>& from, const std::set<int>& listed) {
    std::erase_if(from, [&](int code) { return listed.contains(code); });
  };
  if (!reader.has("good")) take_back(codes.good, codes.bad), take_back(codes.good, codes.skip);
  if (!reader.has("skip")) take_back(codes.skip, codes.good), take_back(codes.skip, codes.bad);
  for (const int code : codes.good)
    if (codes.bad.contains(code) || codes.skip.contains(code))
      reader.complain("good", std::to_string(code) + " is listed for another verdict, too");
  for (const int code : codes.bad)
    if (codes.skip.contains(code))
      reader.complain("bad", std::to_string(code) + " is listed for another verdict, too");
}

void read_head(TableReader& head, Toolchain& toolchain, Complaints& complaints) {
  read_identity(head, toolchain, complaints);
  if (const auto needs = head.texts("needs")) {
    toolchain.needs.clear();
    for (const std::string& need : *needs) {
      if (need != "model" && need != "onnx")
        head.complain("needs", "\"" + need + "\" is nothing that can be made", "\"model\", \"onnx\" or both");
      toolchain.needs.insert(need);
    }
  }
  if (const auto names = head.texts("pass_environment")) {
    for (const std::string& name : *names)
      if (!is_variable(name)) head.complain("pass_environment", "\"" + name + "\" is no variable's name");
    toolchain.pass_environment = *names;
  }
  read_exit_codes(head, toolchain, complaints);
}

void read_environment(TableReader& root, Toolchain& toolchain, Complaints& complaints) {
  const TomlValue* table = root.table("environment");
  if (table == nullptr) return;
  TableReader reader(*table, "[environment]", complaints);
  for (const TomlValue::Field& field : table->fields) {
    const auto value = reader.text(field.name);
    if (!is_variable(field.name)) reader.complain(field.name, "is no variable's name");
    if (!value) continue;
    toolchain.environment[field.name] = *value;
    try {
      placeholders(*value);
    } catch (const Error& error) {
      complaints.add(field.line, "[environment] " + field.name, error);
    }
  }
}

void check_mount(const std::string& mount, TableReader& reader) {
  try {
    const std::string filled = fill(mount, {{"toolchain", "/toolchain"}});
    const std::size_t colon = filled.find(':');
    if (colon != std::string::npos && colon > 0 && filled[0] == '/' && filled.size() > colon + 1 &&
        filled[colon + 1] == '/')
      return;
  } catch (const Error& error) {
    return reader.complain("mounts", error.message(), "only {toolchain} may stand in a mount");
  }
  reader.complain("mounts", "\"" + mount + "\" is no mount", "write SRC:DST or SRC:DST:ro, both absolute");
}

void read_container_lists(TableReader& reader, ContainerOptions& container) {
  if (const auto devices = reader.texts("devices")) container.devices = *devices;
  if (const auto groups = reader.texts("groups")) container.groups = *groups;
  if (const auto options = reader.texts("options")) container.options = *options;
  if (const auto mounts = reader.texts("mounts")) {
    for (const std::string& mount : *mounts) check_mount(mount, reader);
    container.mounts = *mounts;
  }
  for (const char* key : {"env", "environment"})
    if (const auto environment = reader.text_table(key))
      for (const auto& [name, value] : *environment) container.environment[name] = value;
}

void read_container(TableReader& root, Toolchain& toolchain, Complaints& complaints) {
  const TomlValue* table = root.table("container");
  if (table == nullptr) return;
  TableReader reader(*table, "[container]", complaints);
  const bool none = reader.boolean("none").value_or(false);
  ContainerOptions container = toolchain.container.value_or(ContainerOptions{});
  if (const auto engine = reader.text("engine")) {
    if (*engine != "podman" && *engine != "docker")
      reader.complain("engine", "\"" + *engine + "\" is no engine", "\"podman\" or \"docker\"");
    container.engine = *engine;
  }
  if (const auto image = reader.name("image")) {
    container.image = *image;
    container.rootfs.clear();
  }
  if (const auto rootfs = reader.name("rootfs")) {
    if (reader.has("image")) reader.complain("rootfs", "and image exclude each other", "keep one");
    if (rootfs->front() != '/') reader.complain("rootfs", "\"" + *rootfs + "\" is no absolute folder");
    container.rootfs = *rootfs;
    container.image.clear();
  }
  read_container_lists(reader, container);
  container.init = reader.boolean("init").value_or(container.init);
  reader.finish();
  if (none && table->fields.size() > 1)
    reader.complain("none", "stands beside other keys", "keep one or the other");
  if (!none && container.image.empty() && container.rootfs.empty())
    reader.missing("image", "the name of an image that is there, or rootfs = \"/\"");
  toolchain.container = none ? std::nullopt : std::optional(std::move(container));
}

}  // namespace

void read_toolchain(TableReader& root, TableReader& head, Toolchain& toolchain, Lines& lines,
                    Complaints& complaints) {
  read_head(head, toolchain, complaints);
  read_parameters(root, toolchain, lines, complaints);
  read_environment(root, toolchain, complaints);
  read_container(root, toolchain, complaints);
  read_stages(root, toolchain, lines, complaints);
  read_rules(root, toolchain, complaints);
}

}  // namespace brink
