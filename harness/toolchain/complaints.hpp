#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/error.hpp"

namespace brink {

/// A file that is wrong. As an Error it is its first complaint; `complaints` has the line of each one.
class FileError : public Error {
 public:
  FileError(const Error& first, std::vector<std::string> complaints)
      : Error(first), complaints_(std::move(complaints)) {}
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::vector<std::string> complaints_;
};

/// Everything wrong with one file, so that a person can mend it in one go.
class Complaints {
 public:
  /// `code` is "campaign-file" or "toolchain-file"; FILE is written as `file` was given.
  Complaints(std::filesystem::path file, std::string code) : file_(std::move(file)), code_(std::move(code)) {}

  /// `where` names the table and key ("[campaign] slots", "axis layers"); "" when the message does.
  void add(int line, const std::string& where, const std::string& what, const std::string& remedy = "");
  /// An Error thrown by the reader of a value, at this line.
  void add(int line, const std::string& where, const Error& error);
  bool any() const { return !errors_.empty(); }
  /// Throws a FileError when there is any, the lowest line first.
  void throw_if_any() const;

 private:
  struct Complaint {
    int line = 0;
    Error error;
  };
  std::filesystem::path file_;
  std::string code_;
  std::vector<Complaint> errors_;
};

}  // namespace brink
