#include "results/sqlite.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

/// What a person can do about a result code of SQLite.
Error store_error(int code, int system_error, const std::string& message, const std::string& file) {
  const auto error = [&](std::string text, std::string remedy) {
    return Error(Exit::infrastructure, "store", std::move(text), for_terminal(file), std::move(remedy));
  };
  if (system_error == ENOSPC || system_error == EDQUOT) code = SQLITE_FULL;
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return error("the disk of the results store is full", "free space there, or use another --store DIR");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error("the results store is busy",
                   "another program holds it for writing; end that, then try again");
    case SQLITE_NOTADB:
      return error("not a results store of brink", "move this file away, or use another --store DIR");
    case SQLITE_CORRUPT:
      return error("the results store is damaged: " + message,
                   "move it away, or put a copy of results.sqlite back in its place");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return error("the results store cannot be opened for writing" +
                       (system_error != 0 ? std::string(": ") + std::strerror(system_error) : ""),
                   "make its folder writable, or use another --store DIR");
    default:
      return error("the results store failed: " + message +
                       (system_error != 0 ? std::string(" (") + std::strerror(system_error) + ")" : ""),
                   "");
  }
}

}  // namespace

Database::Database(std::filesystem::path file, Access access, std::chrono::milliseconds patience)
    : file_(std::move(file)) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE;
  std::string name = file_.string();
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
  if (access == Access::immutable) {
    flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
    std::string escaped;
    for (const char c : name)
      escaped += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
    name = "file:" + escaped + "?immutable=1";
  }
  const int code = sqlite3_open_v2(name.c_str(), &connection_, flags, nullptr);
  if (code != SQLITE_OK) {
    const Error error = store_error(code, connection_ != nullptr ? sqlite3_system_errno(connection_) : 0,
                                    sqlite3_errstr(code), file_.string());
    sqlite3_close(connection_);
    throw error;
  }
  sqlite3_busy_timeout(connection_, static_cast<int>(patience.count()));
}

Database::~Database() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close(connection_);
}

void Database::fail(int code) const {
  const int base = code & 0xFF;
  const bool system = base == SQLITE_IOERR || base == SQLITE_FULL || base == SQLITE_CANTOPEN;
  throw store_error(code, system ? sqlite3_system_errno(connection_) : 0, sqlite3_errmsg(connection_),
                    file_.string());
}

void Database::script(std::string_view sql) {
  const int code = sqlite3_exec(connection_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const std::string& sql) {
  Statement query(*this, sql);
  return query.step() ? query.integer(0) : 0;
}

std::int64_t Database::last_insert() const { return sqlite3_last_insert_rowid(connection_); }

std::int64_t Database::changes() const { return sqlite3_changes(connection_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_) == 0; }

sqlite3_stmt* Database::borrow(const std::string& sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) {
    sqlite3_stmt* statement = found->second;
    idle_.erase(found);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return statement;
}

void Database::give_back(const std::string& sql, sqlite3_stmt* statement) noexcept {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  try {
    idle_.emplace(sql, statement);
  } catch (...) {
    sqlite3_finalize(statement);
  }
}

Statement::Statement(Database& database, std::string sql)
    : database_(database), sql_(std::move(sql)), statement_(database.borrow(sql_)) {}

Statement::~Statement() { database_.give_back(sql_, statement_); }

void Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index + 1, value); code != SQLITE_OK)
    database_.fail(code);
}

void Statement::bind(int index, double value) {
  if (const int code = sqlite3_bind_double(statement_, index + 1, value); code != SQLITE_OK)
    database_.fail(code);
}

void Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL, which an empty text is not.
  const char* bytes = value.data() != nullptr ? value.data() : "";
  const int code =
      sqlite3_bind_text64(statement_, index + 1, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind_null(int index) {
  if (const int code = sqlite3_bind_null(statement_, index + 1); code != SQLITE_OK) database_.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::run() {
  while (step()) continue;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return "";
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

Transaction::Transaction(Database& database) : database_(database), outermost_(!database.in_transaction()) {
  if (outermost_) Statement(database_, "BEGIN IMMEDIATE").run();
}

Transaction::~Transaction() {
  // Some failures (a full disk) have rolled back already; a second rollback would only add an error.
  if (open_ && outermost_ && database_.in_transaction())
    sqlite3_exec(database_.connection_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  if (outermost_) Statement(database_, "COMMIT").run();
  open_ = false;
}

}  // namespace brink
