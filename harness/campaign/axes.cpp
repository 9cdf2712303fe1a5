#include "harness/campaign/reading.hpp"

namespace brink {

namespace {

std::vector<std::string> set_values(const TomlValue& list, const std::string& name, Complaints& complaints) {
  std::vector<std::string> values;
  for (const TomlValue& item : list.items) {
    const auto text = scalar_text(item);
    if (!text || text->find('\0') != std::string::npos) {
      complaints.add(item.line, "axis " + name,
                     text ? "a value has a NUL in it" : "holds " + kind_words(item.kind),
                     text ? "" : "a list of strings and integers is needed");
      return {};
    }
    values.push_back(*text);
  }
  if (values.empty()) complaints.add(list.line, "axis " + name, "the set is empty", "give it values");
  return values;
}

}  // namespace

std::vector<Axis> read_axes(const TomlValue& table, const std::string& experiment, bool labels, Lines& lines,
                            Complaints& complaints) {
  std::vector<Axis> axes;
  for (const TomlValue::Field& field : table.fields) {
    const std::string where = "axis " + field.name;
    lines["experiment " + experiment + " axis " + field.name] = field.line;
    // A line of a compile script has commas of its own.
    const bool lines_wanted = field.name == "script" && field.value.kind != TomlValue::Kind::array;
    if (lines_wanted ||
        (field.value.kind != TomlValue::Kind::array && field.value.kind != TomlValue::Kind::string)) {
      complaints.add(field.line, where, "is " + kind_words(field.value.kind),
                     lines_wanted ? "write a list of script lines" : "write \"1..24\" or a list of values");
      continue;
    }
    try {
      if (field.value.kind == TomlValue::Kind::array) {
        auto values = set_values(field.value, field.name, complaints);
        if (!values.empty()) axes.push_back(Axis::of_set(field.name, std::move(values), labels));
        continue;
      }
      if (field.value.text.find('\0') != std::string::npos) throw usage_error(where + ": has a NUL in it");
      axes.push_back(Axis::parse(field.name, field.value.text));
      axes.back().set_labels(labels);
    } catch (const Error& error) {
      complaints.add(field.line, "", error);
    }
  }
  return axes;
}

}  // namespace brink
