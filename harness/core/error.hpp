#pragma once

#include <stdexcept>
#include <string>

namespace brink {

/// Exit codes of the contract.
enum class Exit : int {
  done = 0,
  usage = 2,
  no_answer = 3,
  infrastructure = 4,
  locked = 5,
  differs = 6,
};

/// What ends a command: one clear line. `where` is FILE:LINE, a flag, or empty; `remedy` says what would be
/// right. `code` is a stable word for scripts: usage, campaign-file, toolchain-file, store, locked,
/// infrastructure, … A compiler's failure is never an Error.
class Error : public std::runtime_error {
 public:
  Error(Exit exit, std::string code, std::string message, std::string where = "", std::string remedy = "");

  Exit exit() const { return exit_; }
  const std::string& code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& remedy() const { return remedy_; }

  /// "where: message; remedy", leaving out what is empty. Also what() returns.
  std::string line() const { return what(); }

 private:
  Exit exit_;
  std::string code_, message_, where_, remedy_;
};

/// Shorthands for the two most frequent kinds.
Error usage_error(std::string message, std::string where = "", std::string remedy = "");
Error infrastructure_error(std::string message, std::string where = "", std::string remedy = "");

}  // namespace brink
