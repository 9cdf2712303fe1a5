#include "harness/diagnosis/watch.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

#include "harness/diagnosis/joined.hpp"
#include "harness/diagnosis/pattern.hpp"
#include "harness/diagnosis/rules.hpp"

namespace brink {

namespace {

constexpr std::int64_t kSetMemory = 16 << 20;
/// What is kept of a long line before the match.
constexpr std::size_t kBefore = 2048;

RE2::Options set_options() {
  RE2::Options options = pattern_options();
  options.set_max_mem(kSetMemory);
  return options;
}

/// Some of the patterns, searched all at once.
struct Group {
  RE2::Set set{set_options(), RE2::UNANCHORED};
  std::vector<std::size_t> patterns;

  void add(std::size_t index, const std::string& pattern) {
    set.Add(pattern, nullptr);
    patterns.push_back(index);
  }
};

}  // namespace

struct PatternWatch::Patterns {
  std::vector<std::unique_ptr<RE2>> one_by_one;
  Group by_line, joined;

  /// The first pattern in order, below `limit`, that is in `text`; `limit` when there is none.
  std::size_t first_in(const Group& group, std::string_view text, std::size_t limit) const {
    if (group.patterns.empty() || group.patterns.front() >= limit) return limit;
    std::vector<int> matching;
    RE2::Set::ErrorInfo error{};
    if (group.set.Match(text, &matching, &error)) {
      for (const int index : matching)
        limit = std::min(limit, group.patterns[static_cast<std::size_t>(index)]);
    } else if (error.kind != RE2::Set::kNoError) {  // the automaton of all together grew too large
      for (const std::size_t index : group.patterns)
        if (index < limit && RE2::PartialMatch(text, *one_by_one[index])) return index;
    }
    return limit;
  }
};

PatternWatch::PatternWatch(const std::vector<std::string>& patterns)
    : patterns_(std::make_unique<Patterns>()) {
  for (const std::string& pattern : patterns) {
    check_pattern(pattern, "match");
    const std::string by_line = line_pattern(pattern);
    const std::size_t index = patterns_->one_by_one.size();
    patterns_->one_by_one.push_back(std::make_unique<RE2>(by_line, pattern_options()));
    const bool joined = may_be_joined(pattern);
    if (joined) patterns_->joined.add(index, by_line);
    // Whatever a line has the joined lines have too, but for its borders.
    if (!joined || knows_lines(pattern)) patterns_->by_line.add(index, by_line);
  }
  patterns_->by_line.set.Compile();
  patterns_->joined.set.Compile();
}

PatternWatch::~PatternWatch() = default;

void PatternWatch::see(std::string_view window, std::string_view fresh) {
  if (found_ && text_.size() < kKept) text_ += fresh.substr(0, kKept - text_.size());
  const std::size_t before = found_.value_or(patterns_->one_by_one.size());
  std::size_t best = before;
  for (const Joining joining : kJoinings) {
    const Group& group = joining == Joining::lines ? patterns_->by_line : patterns_->joined;
    if (best == 0 || group.patterns.empty()) continue;
    const Joined joined(window, joining);
    const std::size_t index = patterns_->first_in(group, joined.text(), best);
    if (index == best) continue;
    best = index;
    re2::StringPiece match;
    patterns_->one_by_one[best]->Match(joined.text(), 0, joined.text().size(), RE2::UNANCHORED, &match, 1);
    const std::size_t at = joined.origin(static_cast<std::size_t>(match.data() - joined.text().data()));
    const std::size_t newline = window.substr(0, at).rfind('\n');
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    text_ = window.substr(at > line + kBefore ? at - kBefore : line, kKept);
  }
  if (best < before) found_ = best;
}

}  // namespace brink
