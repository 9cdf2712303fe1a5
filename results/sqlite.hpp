#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace brink {

/// One connection to a SQLite file. Whatever goes wrong is a single-line Error of exit 4, code "store", that
/// names the file.
class Database {
 public:
  enum class Access {
    create,     ///< reads and writes; made when missing
    write,      ///< reads and writes an existing file; reads only where the file is write-protected
    immutable,  ///< reads a file that nobody can be writing: no locks, no files beside it
  };
  /// Nothing is read before the first statement. `patience` is how long a statement waits for others.
  Database(std::filesystem::path file, Access access, std::chrono::milliseconds patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::filesystem::path& file() const { return file_; }
  /// Runs a script of statements without parameters.
  void script(std::string_view sql);
  /// The single integer of a query ("PRAGMA user_version").
  std::int64_t number(const std::string& sql);
  std::int64_t last_insert() const;
  std::int64_t changes() const;
  bool in_transaction() const;

 private:
  friend class Statement;
  friend class Transaction;
  [[noreturn]] void fail(int code) const;
  sqlite3_stmt* borrow(const std::string& sql);
  void give_back(const std::string& sql, sqlite3_stmt* statement) noexcept;

  std::filesystem::path file_;
  sqlite3* connection_ = nullptr;
  std::multimap<std::string, sqlite3_stmt*> idle_;  ///< compiled statements that nobody uses now
};

/// A statement in use: compiled once for a connection, reset when this goes away. Columns and parameters
/// count from 0.
class Statement {
 public:
  Statement(Database& database, std::string sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the parameters in order.
  template <typename... Values>
  Statement& with(const Values&... values) {
    int index = 0;
    (bind(index++, values), ...);
    return *this;
  }
  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
  void bind(int index, const char* value) { bind(index, std::string_view(value)); }
  void bind_null(int index);
  template <typename Value>
  void bind(int index, const std::optional<Value>& value) {
    value ? bind(index, *value) : bind_null(index);
  }

  /// The next row; false at the end.
  bool step();
  /// For statements without rows.
  void run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  Database& database_;
  std::string sql_;
  sqlite3_stmt* statement_;
};

/// BEGIN IMMEDIATE, rolled back unless committed. Inside another one it is a part of that: the outer commit
/// decides.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool outermost_;
  bool open_ = true;
};

}  // namespace brink
