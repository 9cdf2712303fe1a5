#include <algorithm>
#include <array>
#include <string_view>

#include "harness/core/text.hpp"
#include "harness/toolchain/read_toolchain.hpp"

namespace brink {

namespace {

std::optional<Parameter::Type> parse_type(const std::string& word) {
  if (word == "string") return Parameter::Type::string;
  if (word == "integer") return Parameter::Type::integer;
  if (word == "boolean") return Parameter::Type::boolean;
  return std::nullopt;
}

std::optional<Int> read_bound(TableReader& reader, const std::string& key) {
  const TomlValue* value = reader.any(key);
  if (value == nullptr) return std::nullopt;
  const auto text = scalar_text(*value);
  const auto bound = text ? parse_int(*text) : std::nullopt;
  if (!bound) reader.complain(key, "is no integer");
  return bound;
}

std::vector<std::string> read_choices(TableReader& reader) {
  const TomlValue* value = reader.any("one_of");
  if (value == nullptr) return {};
  std::vector<std::string> choices;
  if (value->kind == TomlValue::Kind::array)
    for (const TomlValue& item : value->items)
      if (const auto text = scalar_text(item)) choices.push_back(*text);
  if (choices.empty() || choices.size() != value->items.size())
    reader.complain("one_of", "is no list of values", "write one_of = [\"a\", \"b\"]");
  return choices;
}

void check_parameter(const Parameter& parameter, TableReader& reader) {
  if (parameter.type != Parameter::Type::integer && (parameter.min || parameter.max))
    reader.complain(parameter.min ? "min" : "max", "is for integers only", "say type = \"integer\"");
  if (parameter.min && parameter.max && *parameter.min > *parameter.max)
    reader.complain("min", to_text(*parameter.min) + " is greater than max " + to_text(*parameter.max));
  Parameter unlimited = parameter;
  unlimited.one_of.clear();
  for (const std::string& choice : parameter.one_of)
    if (const auto problem = parameter_problem(unlimited, choice)) reader.complain("one_of", *problem);
  if (!parameter.fallback) return;
  if (const auto problem = parameter_problem(parameter, *parameter.fallback))
    reader.complain("default", *problem);
}

Parameter read_parameter(const TomlValue::Field& field, Complaints& complaints) {
  Parameter parameter;
  parameter.name = field.name;
  TableReader reader(field.value, "parameter " + field.name, complaints);
  if (const auto word = reader.text("type")) {
    const auto type = parse_type(*word);
    if (!type) reader.complain("type", "\"" + *word + "\" is no type", "string, integer or boolean");
    parameter.type = type.value_or(Parameter::Type::string);
  }
  if (const TomlValue* value = reader.any("default")) {
    parameter.fallback = scalar_text(*value);
    if (!parameter.fallback) reader.complain("default", "is " + kind_words(value->kind));
  }
  parameter.one_of = read_choices(reader);
  parameter.min = read_bound(reader, "min");
  parameter.max = read_bound(reader, "max");
  reader.finish();
  check_parameter(parameter, reader);
  return parameter;
}

bool is_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

bool is_reserved(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames{"model", "onnx", "script", "toolchain", "dir"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::optional<std::string> parameter_problem(const Parameter& parameter, const std::string& value) {
  const std::string shown = "\"" + shorten(for_terminal(value), 60) + "\"";
  if (value.find('\0') != std::string::npos) return shown + " has a NUL in it";
  if (!parameter.one_of.empty() &&
      std::find(parameter.one_of.begin(), parameter.one_of.end(), value) == parameter.one_of.end())
    return shown + " is none of " + join(parameter.one_of, ", ");
  switch (parameter.type) {
    case Parameter::Type::string:
      return std::nullopt;
    case Parameter::Type::boolean:
      if (value == "true" || value == "false") return std::nullopt;
      return shown + " is neither true nor false";
    case Parameter::Type::integer: {
      const auto number = parse_int(value);
      if (!number) return shown + " is no integer";
      if (parameter.min && *number < *parameter.min)
        return value + " is less than the smallest, " + to_text(*parameter.min);
      if (parameter.max && *number > *parameter.max)
        return value + " is greater than the largest, " + to_text(*parameter.max);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void read_parameters(TableReader& root, Toolchain& toolchain, Lines& lines, Complaints& complaints) {
  const TomlValue* table = root.table("parameters");
  if (table == nullptr) return;
  for (const TomlValue::Field& field : table->fields) {
    const std::string where = "parameter " + field.name;
    lines[where] = field.line;
    if (field.value.kind != TomlValue::Kind::table) {
      complaints.add(field.line, where, "is " + kind_words(field.value.kind),
                     "write " + field.name + " = { type = \"string\", default = \"…\" }");
      continue;
    }
    if (is_reserved(field.name) || !is_word(field.name)) {
      complaints.add(field.line, where,
                     is_reserved(field.name) ? "{" + field.name + "} has a meaning of its own" : "is no name",
                     "use another name, of letters, digits, _ and -");
      continue;
    }
    Parameter parameter = read_parameter(field, complaints);
    const auto known = std::find_if(toolchain.parameters.begin(), toolchain.parameters.end(),
                                    [&](const Parameter& other) { return other.name == field.name; });
    if (known == toolchain.parameters.end())
      toolchain.parameters.push_back(std::move(parameter));
    else
      *known = std::move(parameter);
  }
}

}  // namespace brink
