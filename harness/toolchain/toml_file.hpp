#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace brink {

/// A value of a TOML file with the line it came from.
struct TomlValue {
  enum class Kind { string, integer, number, boolean, array, table, date };
  Kind kind = Kind::table;
  int line = 0;
  std::string text;  ///< of strings; of integers, numbers and booleans as they would be written
  std::int64_t integer = 0;
  double number = 0;  ///< of integers, too
  bool boolean = false;
  std::vector<TomlValue> items;  ///< of arrays

  struct Field;
  std::vector<Field> fields;  ///< of tables, in the order of the file

  /// nullptr when there is none.
  const TomlValue* find(const std::string& name) const;
};

struct TomlValue::Field {
  std::string name;
  int line = 0;  ///< of the name
  TomlValue value;
};

/// "a string", "an integer", … for complaints.
std::string kind_words(TomlValue::Kind kind);

/// Reads a whole file. Throws an Error with `code` and FILE:LINE on a file that cannot be read, is larger
/// than 16 MiB, or is no TOML. FILE is written as `file` was given.
TomlValue read_toml(const std::filesystem::path& file, const std::string& code);

}  // namespace brink
