#include "harness/diagnosis/rules.hpp"

#include <fmt/core.h>

#include "harness/core/digest.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/diagnosis/pattern.hpp"

namespace brink {

namespace {

/// Counted up whenever the code here could read a log differently.
constexpr int kRevision = 1;

void add(Sha256& digest, std::string_view text) {
  digest.add(fmt::format("{}:", text.size()));
  digest.add(text);
}

template <typename Codes>
void add_codes(Sha256& digest, const Codes& codes) {
  add(digest, std::to_string(codes.size()));
  for (const int code : codes) add(digest, std::to_string(code));
}

}  // namespace

std::string rules_digest(const Rules& rules) {
  Sha256 digest;
  add(digest, std::to_string(kRevision));
  add(digest, std::to_string(rules.rules.size()));
  for (const Rule& rule : rules.rules) {
    for (const std::string* text : {&rule.failure_class, &rule.stage, &rule.match, &rule.capture})
      add(digest, *text);
    add(digest, rule.repeat ? "repeat" : "once");
    add(digest, std::to_string(rule.identify.size()));
    for (const std::string& name : rule.identify) add(digest, name);
  }
  add(digest, std::to_string(rules.recoverable.size()));
  for (const std::string& pattern : rules.recoverable) add(digest, pattern);
  add_codes(digest, rules.exit_codes.good);
  add_codes(digest, rules.exit_codes.bad);
  add_codes(digest, rules.exit_codes.skip);
  return digest.hex();
}

void check_pattern(const std::string& pattern, const std::string& where) {
  const RE2 re(line_pattern(pattern), pattern_options());
  if (re.ok()) return;
  throw usage_error(
      fmt::format("'{}' is not a regular expression: {}", for_terminal(shorten(pattern, 200)), re.error()),
      where, "RE2 syntax, without look-around and back references");
}

RE2::Options pattern_options() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

std::string line_pattern(const std::string& pattern) { return "(?m)" + pattern; }

bool may_be_joined(const std::string& pattern) {
  static const RE2 wildcard(
      R"(\.(?:[*+]|\{\d+,\})|\\[DWP](?:[*+]|\{\d+,\})|\[\^[^\]\\ ]*\](?:[*+]|\{\d+,\}))");
  return !RE2::PartialMatch(pattern, wildcard);
}

bool knows_lines(const std::string& pattern) {
  return pattern.find_first_of("^$") != std::string::npos || pattern.find("\\n") != std::string::npos ||
         pattern.find("\\A") != std::string::npos || pattern.find("\\z") != std::string::npos;
}

}  // namespace brink
