#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/text.hpp"

namespace brink {

/// Text of a stored campaign. An argument may be any bytes: what is no UTF-8 is written as {"hex": …}.
inline nlohmann::json text_json(const std::string& text) {
  if (to_utf8(text) == text) return text;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : text) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return {{"hex", hex}};
}

inline nlohmann::json texts_json(const std::vector<std::string>& texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

/// Pairs, since names of variables may be any bytes, too.
inline nlohmann::json map_json(const std::map<std::string, std::string>& map) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [name, value] : map)
    list.push_back(nlohmann::json::array({text_json(name), text_json(value)}));
  return list;
}

/// The inverses; they throw nlohmann::json::exception or std::invalid_argument on anything else.
inline std::string text_of(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto hex = json.at("hex").get<std::string>();
  std::string text;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return text;
}

inline std::vector<std::string> texts_of(const nlohmann::json& json) {
  std::vector<std::string> texts;
  for (const auto& item : json) texts.push_back(text_of(item));
  return texts;
}

inline std::map<std::string, std::string> map_of(const nlohmann::json& json) {
  std::map<std::string, std::string> map;
  for (const auto& pair : json) map[text_of(pair.at(0))] = text_of(pair.at(1));
  return map;
}

}  // namespace brink
