#include "harness/diagnosis/named.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "harness/core/digest.hpp"
#include "harness/core/text.hpp"
#include "harness/diagnosis/joined.hpp"
#include "harness/diagnosis/normalise.hpp"
#include "harness/diagnosis/pattern.hpp"
#include "harness/diagnosis/topology.hpp"

namespace brink {

namespace {

constexpr std::size_t kMaxRows = 1000;

/// A rule's message as one way of joining the lines reads it.
struct Reading {
  std::string message;  ///< from the beginning of the line to the end of what was captured
  std::string exact;    ///< from the match to the end of what was captured: its digest compares texts
  std::vector<Row> rows;
};

Row row_of(const RE2& capture, const std::vector<re2::StringPiece>& groups) {
  Row row;
  for (const auto& [index, name] : capture.CapturingGroupNames())
    row[name] = for_terminal(std::string_view(groups[static_cast<std::size_t>(index)]));
  return row;
}

/// Whether every value of `row` is that of `other` behind something else: joining without blanks glues the
/// end of one sentence to the first word of the next.
bool is_glued_twin(const Row& row, const Row& other) {
  return row != other && row.size() == other.size() &&
         std::all_of(row.begin(), row.end(), [&](const auto& entry) {
           const auto twin = other.find(entry.first);
           return twin != other.end() && entry.second.ends_with(twin->second);
         });
}

/// Whether `later` has every row of `earlier` whole, where that had some of them cut by a wrap inside a name:
/// its values end with the cut ones, and what they have more is part of a name.
bool completes(const std::vector<Row>& later, const std::vector<Row>& earlier) {
  static const RE2 name_part("[\\w/.-]*");
  const auto whole_of = [](const Row& row, const Row& cut) {
    return row.size() == cut.size() && std::all_of(row.begin(), row.end(), [&](const auto& entry) {
             const auto value = cut.find(entry.first);
             return value != cut.end() && entry.second.ends_with(value->second) &&
                    RE2::FullMatch(entry.second.substr(0, entry.second.size() - value->second.size()),
                                   name_part);
           });
  };
  return later != earlier && std::all_of(earlier.begin(), earlier.end(), [&](const Row& cut) {
           return std::any_of(later.begin(), later.end(), [&](const Row& row) { return whole_of(row, cut); });
         });
}

void drop_glued_twins(std::vector<Row>& rows) {
  const std::vector<Row> all = rows;
  std::erase_if(rows, [&](const Row& row) {
    return std::any_of(all.begin(), all.end(), [&](const Row& other) { return is_glued_twin(row, other); });
  });
}

/// Rows of the text after `from`; `end` becomes the end of the last.
std::vector<Row> rows_of(const Rule& rule, std::string_view text, std::size_t from, std::size_t& end) {
  std::vector<Row> rows;
  if (rule.capture.empty()) return rows;
  const RE2 capture(line_pattern(rule.capture), pattern_options());
  if (!capture.ok()) return rows;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(capture.NumberOfCapturingGroups()) + 1);
  while (from < text.size() && rows.size() < kMaxRows &&
         capture.Match(text, from, text.size(), RE2::UNANCHORED, groups.data(),
                       static_cast<int>(groups.size()))) {
    Row row = row_of(capture, groups);
    // The log may hold the message twice: once logged, once as the exception's text.
    const bool known = std::find(rows.begin(), rows.end(), row) != rows.end();
    const std::size_t start = static_cast<std::size_t>(groups[0].data() - text.data());
    if (!known) {
      rows.push_back(std::move(row));
      end = std::max(end, start + groups[0].size());
    }
    if (!rule.repeat) break;
    from = std::max(start + groups[0].size(), from + 1);
  }
  drop_glued_twins(rows);
  return rows;
}

std::optional<Reading> read(const Rule& rule, const RE2& pattern, std::string_view text, Joining joining) {
  const Joined joined(text, joining);
  const std::string_view whole = joined.text();
  re2::StringPiece match;
  if (!pattern.Match(whole, 0, whole.size(), RE2::UNANCHORED, &match, 1)) return std::nullopt;
  const std::size_t start = static_cast<std::size_t>(match.data() - whole.data());
  std::size_t end = start + match.size();
  Reading reading;
  reading.rows = rows_of(rule, whole, start, end);
  // Without rows the message goes on to the end of the line in which the match ends.
  const std::size_t origin = joined.origin(end > start ? end - 1 : start);
  if (reading.rows.empty()) {
    const std::size_t newline = std::min(text.find('\n', origin), text.size());
    end = joining == Joining::lines ? newline : std::min(whole.size(), end + newline - origin);
  }
  const std::size_t first = joined.origin(start);
  const std::size_t line = text.substr(0, first).rfind('\n') + 1;  // npos + 1 is 0
  constexpr std::size_t kBefore = 120;
  const std::size_t before = std::min({first - line, start, kBefore});
  reading.message = trim(whole.substr(start - before, end - start + before));
  reading.exact = trim(whole.substr(start, end - start));
  return reading;
}

std::string captured_identity(const Rule& rule, const std::vector<Row>& rows) {
  std::set<std::string> identities;  // a set: the same conflicts in another order are the same failure
  for (const Row& row : rows) {
    std::string identity;
    for (const std::string& name : rule.identify) {
      const auto found = row.find(name);
      identity += (found == row.end() ? "" : identity_of_name(found->second)) + "\x1F";
    }
    identities.insert(identity);
  }
  std::string text;
  for (const std::string& identity : identities) text += identity + "\x1E";
  return text;
}

/// The network group that the message speaks of: "S__tbt/conv215" says "tbt".
std::string group_in(std::string_view message) {
  static const RE2 scope(R"((?:^|[^\w])\w+__(\w+)/\w)");
  std::string group;
  RE2::PartialMatch(message, scope, &group);
  return group.substr(group.rfind("__") == std::string::npos ? 0 : group.rfind("__") + 2);
}

}  // namespace

std::string safe_line(std::string_view text, std::size_t bytes) {
  std::string line(trim(text));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return shorten(for_terminal(line), bytes);
}

std::string safe_lines(std::string_view text, std::size_t bytes) {
  return shorten(for_terminal(text, true), bytes);
}

Failure named_failure(const Rule& rule, std::string_view text) {
  const RE2 pattern(line_pattern(rule.match), pattern_options());
  std::optional<Reading> best;
  for (const Joining joining : kJoinings) {
    if (joining != Joining::lines && best && rule.capture.empty()) break;
    auto reading = read(rule, pattern, text, joining);
    // A wrap hides rows from the other ways of joining, or cuts names: the most rows, and the whole ones, are
    // the truth.
    const bool more = reading && best && reading->rows.size() > best->rows.size();
    const bool whole =
        reading && best && reading->rows.size() == best->rows.size() && completes(reading->rows, best->rows);
    if (reading && (!best || more || whole)) best = std::move(reading);
  }
  if (!best) best = Reading{std::string(text.substr(0, kMaxMessage)), std::string(text), {}};
  Failure failure;
  failure.failure_class = rule.failure_class;
  failure.message = safe_line(best->message, kMaxMessage);
  failure.excerpt = safe_lines(text.substr(0, kMaxExcerpt / 2), kMaxExcerpt);
  failure.text_digest = sha256(best->exact);
  failure.rows = std::move(best->rows);
  failure.group = group_in(best->exact);
  failure.cause = shorten(failure.message, kMaxCause);
  if (are_conflicts(failure.rows)) {
    failure.conflicts = conflicts_of(failure.rows);
    failure.group = failure.conflicts.front().group;
    failure.cause = topology_cause(failure.conflicts);
  }
  const bool captured = !rule.identify.empty() && !failure.rows.empty();
  const std::string identity =
      captured ? captured_identity(rule, failure.rows) : normalise(best->exact.substr(0, kMaxMessage));
  failure.signature = signature_of("rule\x1F" + rule.failure_class + "\x1F" + identity);
  return failure;
}

}  // namespace brink
