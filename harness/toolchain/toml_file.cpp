#include "harness/toolchain/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

int line_of(const toml::source_region& source) { return static_cast<int>(source.begin.line); }

TomlValue converted(const toml::node& node);

/// In the order of the file (toml++ sorts by name): the order of axes means something.
void add_fields(const toml::table& table, TomlValue& value) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const auto &left = a.first->source().begin, &right = b.first->source().begin;
    return std::tie(left.line, left.column) < std::tie(right.line, right.column);
  });
  for (const auto& [key, node] : entries)
    value.fields.push_back({std::string(key->str()), line_of(key->source()), converted(*node)});
}

std::string number_text(const toml::node& node) {
  std::ostringstream text;
  text << toml::node_view<const toml::node>(node);
  return text.str();
}

TomlValue converted(const toml::node& node) {
  TomlValue value;
  value.line = line_of(node.source());
  if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::string;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlValue::Kind::integer;
    value.integer = integer->get();
    value.number = static_cast<double>(value.integer);
    value.text = std::to_string(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = TomlValue::Kind::number;
    value.number = number->get();
    value.text = number_text(node);
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = TomlValue::Kind::boolean;
    value.boolean = boolean->get();
    value.text = value.boolean ? "true" : "false";
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlValue::Kind::array;
    for (const toml::node& item : *array) value.items.push_back(converted(item));
  } else if (const auto* table = node.as_table()) {
    add_fields(*table, value);
  } else {
    value.kind = TomlValue::Kind::date;
  }
  return value;
}

std::string read_text(const std::filesystem::path& file, const std::string& code) {
  const auto stamp = stamp_of(file);
  if (!stamp) {
    const bool there = std::filesystem::exists(file);
    throw Error(Exit::usage, code, there ? "is no regular file" : "there is no such file", file.string());
  }
  if (stamp->size > kMostBytes)
    throw Error(Exit::usage, code, "is larger than 16 MiB", file.string(), "give a TOML file");
  try {
    return read_file(file);
  } catch (const Error& error) {
    throw Error(Exit::usage, code, error.message(), file.string());
  }
}

}  // namespace

const TomlValue* TomlValue::find(const std::string& name) const {
  for (const Field& field : fields)
    if (field.name == name) return &field.value;
  return nullptr;
}

std::string kind_words(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::string:
      return "a string";
    case TomlValue::Kind::integer:
      return "an integer";
    case TomlValue::Kind::number:
      return "a number";
    case TomlValue::Kind::boolean:
      return "true or false";
    case TomlValue::Kind::array:
      return "a list";
    case TomlValue::Kind::table:
      return "a table";
    case TomlValue::Kind::date:
      return "a date or time";
  }
  return "";
}

TomlValue read_toml(const std::filesystem::path& file, const std::string& code) {
  const std::string text = read_text(file, code);
  try {
    const toml::table table = toml::parse(text);
    TomlValue root;
    root.line = 1;
    add_fields(table, root);
    return root;
  } catch (const toml::parse_error& error) {
    throw Error(Exit::usage, code, "no TOML: " + shorten(for_terminal(error.description()), 300),
                file.string() + ":" + std::to_string(error.source().begin.line));
  }
}

}  // namespace brink
