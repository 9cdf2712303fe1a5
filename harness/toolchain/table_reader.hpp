#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/toolchain/complaints.hpp"
#include "harness/toolchain/toml_file.hpp"

namespace brink {

/// Reads one table key by key. A key of the wrong type is a complaint and reads as absent; what was never
/// asked for is unknown (`finish`).
class TableReader {
 public:
  /// `where` names the table in complaints: "[campaign]", "stage compile".
  TableReader(const TomlValue& table, std::string where, Complaints& complaints)
      : table_(table), where_(std::move(where)), complaints_(complaints) {}

  std::optional<std::string> text(const std::string& key);
  /// As text, but neither empty nor with control characters: what can be a name in a report or a path.
  std::optional<std::string> name(const std::string& key);
  std::optional<bool> boolean(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t min, std::int64_t max);
  std::optional<double> number(const std::string& key);
  std::optional<std::vector<std::string>> texts(const std::string& key);
  /// A table of strings; integers and booleans are taken as their text.
  std::optional<std::map<std::string, std::string>> text_table(const std::string& key);
  std::optional<std::chrono::milliseconds> duration(const std::string& key);
  std::optional<std::uint64_t> bytes(const std::string& key);
  const TomlValue* table(const std::string& key);
  /// The tables of `[[key]]`.
  std::vector<const TomlValue*> tables(const std::string& key);
  /// Any value, to be read by the caller.
  const TomlValue* any(const std::string& key);

  bool has(const std::string& key) const { return table_.find(key) != nullptr; }
  /// The line of a key, or of the table when it has none such.
  int line(const std::string& key) const;
  int line() const { return table_.line; }
  void complain(const std::string& key, const std::string& what, const std::string& remedy = "") const;
  void missing(const std::string& key, const std::string& remedy = "") const;
  /// Complains of every key that nobody asked for.
  void finish() const;

 private:
  const TomlValue* typed(const std::string& key, TomlValue::Kind kind);

  const TomlValue& table_;
  std::string where_;
  Complaints& complaints_;
  std::vector<std::string> known_;
};

/// Text of a string, integer, number or boolean; nullopt for the rest.
std::optional<std::string> scalar_text(const TomlValue& value);

}  // namespace brink
