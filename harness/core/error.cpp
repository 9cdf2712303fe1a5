#include "harness/core/error.hpp"

#include <utility>

namespace brink {

namespace {

std::string one_line(const std::string& message, const std::string& where, const std::string& remedy) {
  std::string line = where.empty() ? message : where + ": " + message;
  if (!remedy.empty()) line += "; " + remedy;
  return line;
}

}  // namespace

Error::Error(Exit exit, std::string code, std::string message, std::string where, std::string remedy)
    : std::runtime_error(one_line(message, where, remedy)),
      exit_(exit),
      code_(std::move(code)),
      message_(std::move(message)),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

Error usage_error(std::string message, std::string where, std::string remedy) {
  return {Exit::usage, "usage", std::move(message), std::move(where), std::move(remedy)};
}

Error infrastructure_error(std::string message, std::string where, std::string remedy) {
  return {Exit::infrastructure, "infrastructure", std::move(message), std::move(where), std::move(remedy)};
}

}  // namespace brink
