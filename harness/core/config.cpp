#include "harness/core/config.hpp"

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace brink {

std::string Config::canonical() const {
  std::string text = "{";
  for (const auto& [name, value] : values) {
    if (text.size() > 1) text += ',';
    text += nlohmann::json(to_utf8(name)).dump() + ":";
    text += parse_int(value) ? value : nlohmann::json(to_utf8(value)).dump();
  }
  return text + "}";
}

std::string Config::text() const {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Config config_from_canonical(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) throw usage_error("not a config: " + shorten(for_terminal(json), 80));
  Config config;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string() && !value.is_number_integer())
      throw usage_error("not a config: " + for_terminal(name) + " is neither an integer nor text");
    config.values[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return config;
}

Config config_at(const std::vector<Axis>& axes, const Point& point) {
  Config config;
  for (std::size_t i = 0; i < axes.size(); ++i) config.values[axes[i].name()] = axes[i].value(point.at(i));
  return config;
}

}  // namespace brink
