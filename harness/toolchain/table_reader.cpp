#include "harness/toolchain/table_reader.hpp"

#include <algorithm>

#include "harness/core/quantity.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink {

std::optional<std::string> scalar_text(const TomlValue& value) {
  switch (value.kind) {
    case TomlValue::Kind::string:
    case TomlValue::Kind::integer:
    case TomlValue::Kind::number:
    case TomlValue::Kind::boolean:
      return value.text;
    case TomlValue::Kind::array:
    case TomlValue::Kind::table:
    case TomlValue::Kind::date:
      return std::nullopt;
  }
  return std::nullopt;
}

int TableReader::line(const std::string& key) const {
  for (const TomlValue::Field& field : table_.fields)
    if (field.name == key) return field.line;
  return table_.line;
}

void TableReader::complain(const std::string& key, const std::string& what, const std::string& remedy) const {
  const std::string where = where_.empty() ? key : where_ + (key.empty() ? "" : " " + key);
  complaints_.add(line(key), where, what, remedy);
}

void TableReader::missing(const std::string& key, const std::string& remedy) const {
  complaints_.add(table_.line, where_, key + " is missing", remedy);
}

const TomlValue* TableReader::any(const std::string& key) {
  known_.push_back(key);
  return table_.find(key);
}

const TomlValue* TableReader::typed(const std::string& key, TomlValue::Kind kind) {
  const TomlValue* value = any(key);
  if (value == nullptr || value->kind == kind) return value;
  complain(key, "is " + kind_words(value->kind), kind_words(kind) + " is needed");
  return nullptr;
}

std::optional<std::string> TableReader::text(const std::string& key) {
  const TomlValue* value = typed(key, TomlValue::Kind::string);
  if (value == nullptr) return std::nullopt;
  if (value->text.find('\0') != std::string::npos) {
    complain(key, "has a NUL in it");
    return std::nullopt;
  }
  return value->text;
}

std::optional<std::string> TableReader::name(const std::string& key) {
  auto value = text(key);
  if (!value) return std::nullopt;
  const bool plain = std::none_of(value->begin(), value->end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) == 127;
  });
  if (!value->empty() && value->size() <= 200 && plain) return value;
  complain(key, value->empty() ? "is empty" : "is no name", "use a short name on one line");
  return std::nullopt;
}

std::optional<bool> TableReader::boolean(const std::string& key) {
  const TomlValue* value = typed(key, TomlValue::Kind::boolean);
  return value == nullptr ? std::nullopt : std::optional(value->boolean);
}

std::optional<std::int64_t> TableReader::integer(const std::string& key, std::int64_t min, std::int64_t max) {
  const TomlValue* value = typed(key, TomlValue::Kind::integer);
  if (value == nullptr) return std::nullopt;
  if (value->integer < min || value->integer > max) {
    complain(key, value->text + " is out of range",
             max == INT64_MAX ? "at least " + std::to_string(min)
                              : std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
  }
  return value->integer;
}

std::optional<double> TableReader::number(const std::string& key) {
  const TomlValue* value = any(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == TomlValue::Kind::integer || value->kind == TomlValue::Kind::number) return value->number;
  complain(key, "is " + kind_words(value->kind), "a number is needed");
  return std::nullopt;
}

std::optional<std::vector<std::string>> TableReader::texts(const std::string& key) {
  const TomlValue* value = typed(key, TomlValue::Kind::array);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const TomlValue& item : value->items) {
    if (item.kind != TomlValue::Kind::string) {
      complaints_.add(item.line, where_ + " " + key, "holds " + kind_words(item.kind),
                      "a list of strings is needed");
      return std::nullopt;
    }
    if (item.text.find('\0') != std::string::npos) {
      complaints_.add(item.line, where_ + " " + key, "has a NUL in it");
      return std::nullopt;
    }
    texts.push_back(item.text);
  }
  return texts;
}

std::optional<std::map<std::string, std::string>> TableReader::text_table(const std::string& key) {
  const TomlValue* value = typed(key, TomlValue::Kind::table);
  if (value == nullptr) return std::nullopt;
  std::map<std::string, std::string> texts;
  for (const TomlValue::Field& field : value->fields) {
    const auto text = scalar_text(field.value);
    if (text && text->find('\0') == std::string::npos) {
      texts[field.name] = *text;
      continue;
    }
    const std::string where = where_.empty() ? "[" + key + "] " : where_ + " " + key + ".";
    complaints_.add(field.line, where + field.name,
                    text ? "has a NUL in it" : "is " + kind_words(field.value.kind),
                    text ? "" : "a string, an integer, true or false is needed");
  }
  return texts;
}

std::optional<std::chrono::milliseconds> TableReader::duration(const std::string& key) {
  const TomlValue* value = any(key);
  if (value == nullptr) return std::nullopt;
  const auto text = scalar_text(*value);
  const auto duration = text ? parse_duration(*text) : std::nullopt;
  if (duration && duration->count() > 0) return duration;
  complain(key, text ? "\"" + *text + "\" is no duration" : "is " + kind_words(value->kind),
           "write it as \"90s\", \"45m\" or \"6h\"");
  return std::nullopt;
}

std::optional<std::uint64_t> TableReader::bytes(const std::string& key) {
  const TomlValue* value = any(key);
  if (value == nullptr) return std::nullopt;
  const auto text = scalar_text(*value);
  const auto size = text ? parse_bytes(*text) : std::nullopt;
  if (size && *size > 0) return size;
  complain(key, text ? "\"" + *text + "\" is no size" : "is " + kind_words(value->kind),
           "write it as \"24GiB\" or \"512MiB\"");
  return std::nullopt;
}

const TomlValue* TableReader::table(const std::string& key) { return typed(key, TomlValue::Kind::table); }

std::vector<const TomlValue*> TableReader::tables(const std::string& key) {
  const TomlValue* value = any(key);
  if (value == nullptr) return {};
  std::vector<const TomlValue*> found;
  const bool all = value->kind == TomlValue::Kind::array &&
                   std::all_of(value->items.begin(), value->items.end(),
                               [](const TomlValue& item) { return item.kind == TomlValue::Kind::table; });
  if (!all) {
    complaints_.add(line(key), where_, key + " is " + kind_words(value->kind) + ", not a list of tables",
                    "write [[" + key + "]]");
    return {};
  }
  for (const TomlValue& item : value->items) found.push_back(&item);
  return found;
}

void TableReader::finish() const {
  for (const TomlValue::Field& field : table_.fields) {
    if (std::find(known_.begin(), known_.end(), field.name) != known_.end()) continue;
    const std::string near = did_you_mean(field.name, known_);
    complaints_.add(field.line, where_, "unknown key \"" + field.name + "\"",
                    near.size() > 2 ? near.substr(2) : "");
  }
}

}  // namespace brink
