#include "harness/diagnosis/symptoms.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "harness/core/text.hpp"
#include "harness/diagnosis/normalise.hpp"
#include "harness/diagnosis/pattern.hpp"

namespace brink {

namespace {

constexpr std::size_t kMaxErrors = 2, kMaxNotes = 8, kTail = 12;
constexpr std::size_t kLine = 500;  ///< what is kept of one line, in bytes
constexpr std::size_t kBefore = 3, kExcerptLines = 20, kExcerpt = std::size_t{6} << 10;
constexpr std::size_t kBanner = 10;  ///< a stand-in says so in the first of so many lines

/// A line that has none of these is only good for the tail.
const RE2& anything_pattern() {
  static const auto* const kPattern = new RE2(
      "(?i)error|panick|assert|check failed|terminate called|out of memory|virtual memory|undefined ref|"
      "fault|trace|stand-in|reducing opt|running pass|exception|unreachable",
      pattern_options());
  return *kPattern;
}

const RE2& error_pattern() {
  static const auto* const kPattern = new RE2(
      R"((?:^|[^\w-])(?i:(?:fatal |internal compiler |internal )?error)(?:\[[\w:-]+\])?(?: [A-Z]{1,4}\d+)?\s?: \S)"
      R"(|(?i:\[ *(?:error|fatal|critical) *\]))"
      R"(|\s-\s(?:ERROR|CRITICAL|FATAL)\s-\s)"
      R"(|\[E:\w+)"
      R"(|panicked at )"
      R"(|Assertion .{0,400}failed)"
      R"(|Check failed:)"
      R"(|terminate called after throwing)"
      R"(|out of memory allocating \d)"
      R"(|virtual memory exhausted)"
      R"(|undefined reference to)",
      pattern_options());
  return *kPattern;
}

const RE2& last_words_pattern() {
  static const auto* const kPattern = new RE2(
      R"(Assertion .{0,400}failed|internal compiler error: |LLVM ERROR: |Running pass|UNREACHABLE executed)"
      R"(|terminate called after throwing|Fatal Python error: |Check failed:|panicked at )",
      pattern_options());
  return *kPattern;
}

/// The line, or of a long one (progress bars glued to a message) what begins a word or so before the match.
std::string around(std::string_view line, std::size_t match) {
  constexpr std::size_t kGlued = 400;
  std::size_t from = 0;
  if (match > 0 && (line.size() > kGlued || line.substr(0, match).find('%') != std::string_view::npos)) {
    const std::size_t blank = line.substr(0, match).find_last_of(" \t");
    const bool near = blank != std::string_view::npos && match - blank < 200;
    from = near ? blank + 1 : match;
  }
  return std::string(trim(line.substr(from, kLine)));
}

}  // namespace

void Symptoms::see(std::string_view fresh) {
  // Most logs are long and say nothing: then only their last lines are looked at.
  const bool telling = lines_ < kBanner || in_traceback_ || after_exception_ || excerpt_lines_ > 0 ||
                       RE2::PartialMatch(fresh, anything_pattern());
  std::size_t at = 0;
  if (!telling) {
    at = fresh.size();
    for (std::size_t wanted = kTail + 1; wanted > 0 && at > 0; --wanted) {
      const std::size_t newline = at < 2 ? std::string_view::npos : fresh.rfind('\n', at - 2);
      at = newline == std::string_view::npos ? 0 : newline + 1;
    }
  }
  while (at < fresh.size()) {
    const std::size_t end = std::min(fresh.find('\n', at), fresh.size());
    line(fresh.substr(at, end - at));
    at = end + 1;
  }
}

void Symptoms::line(std::string_view text) {
  ++lines_;
  if (trim(text).empty()) return;
  watch_traceback(text);
  if (RE2::PartialMatch(text, anything_pattern())) watch_error(text);
  if (excerpt_lines_ > 0 && excerpt_.size() < kExcerpt) {
    --excerpt_lines_;
    excerpt_ += std::string(text.substr(0, kLine)) + '\n';
  }
  tail_.emplace_back(text.substr(0, kLine));
  if (tail_.size() > kTail) tail_.pop_front();
}

/// A traceback's frames are indented; the first line that is not names the exception.
void Symptoms::watch_traceback(std::string_view text) {
  if (text.find("Traceback (most recent call last)") != std::string_view::npos) {
    in_traceback_ = true;
    after_exception_ = false;
    return;
  }
  const bool indented = text.front() == ' ' || text.front() == '\t';
  if (in_traceback_ && !indented) {
    in_traceback_ = false;
    after_exception_ = true;
    exception_ = trim(text.substr(0, kLine));
    reason_.clear();
  } else if (after_exception_ && exception_.ends_with(':')) {
    reason_ = trim(text.substr(0, kLine));  // Triton's comes after an excerpt of the source
  }
}

void Symptoms::watch_error(std::string_view text) {
  if (lines_ <= kBanner && RE2::PartialMatch(text, "(?i)stand-in")) stand_in_ = true;
  if (notes_.size() < kMaxNotes && RE2::PartialMatch(text, "Reducing optimization level to")) {
    const std::string note = shorten(for_terminal(trim(text.substr(0, kLine))), kLine);
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }
  re2::StringPiece match;
  const auto find = [&](const RE2& pattern) {
    return pattern.Match(text, 0, text.size(), RE2::UNANCHORED, &match, 1)
               ? std::optional(static_cast<std::size_t>(match.data() - text.data()))
               : std::nullopt;
  };
  if (const auto at = find(last_words_pattern())) last_words_ = around(text, *at);
  if (errors_.size() >= kMaxErrors) return;
  const auto at = find(error_pattern());
  if (!at) return;
  std::string found = around(text, *at);
  if (!errors_.empty() && normalise(errors_.front()) == normalise(found)) return;
  if (errors_.empty()) {
    for (std::size_t i = tail_.size() - std::min(tail_.size(), kBefore); i < tail_.size(); ++i)
      excerpt_ += tail_[i] + '\n';
    excerpt_lines_ = kExcerptLines;
  }
  errors_.push_back(std::move(found));
}

std::string Symptoms::excerpt() const {
  if (!excerpt_.empty()) return excerpt_;
  std::string text;
  for (const std::string& line : tail_) text += line + '\n';
  return text;
}

}  // namespace brink
