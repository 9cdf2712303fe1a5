#include "harness/execution/line_scanner.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <optional>

#include "harness/core/text.hpp"

namespace brink {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kOverlapBytes = std::size_t{4} << 10;
constexpr std::size_t kWrappedBytes =
    40;  ///< a line shorter than this was not wrapped by a terminal or a logger

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{4} << 20);
  return options;
}

bool is_final(char byte) { return byte >= 0x40 && byte <= 0x7e; }

/// The end of the escape sequence that begins at `at`.
std::size_t escape_end(std::string_view text, std::size_t at) {
  std::size_t next = at + 1;
  if (next >= text.size()) return next;
  if (text[next] == '[') {
    for (++next; next < text.size(); ++next) {
      if (is_final(text[next])) return next + 1;
      if (static_cast<unsigned char>(text[next]) < 0x20) return next;
    }
    return next;
  }
  if (text[next] == ']') {  // ends with BEL or ESC backslash
    for (++next; next < text.size(); ++next) {
      if (text[next] == '\a') return next + 1;
      if (text[next] == '\x1b') return std::min(next + 2, text.size());
      if (text[next] == '\n') return next;
    }
    return next;
  }
  return next + 1;
}

/// Cleans text that may have several lines: line feeds and tabs stay, a carriage return ends a line.
std::string plain_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool ascii = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0x1b) {
      at = escape_end(text, at);
      continue;
    }
    if (byte >= 0x80) ascii = false;
    if (byte == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) plain.push_back('\n');
    if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f)) plain.push_back(text[at]);
    ++at;
  }
  return ascii ? plain : to_utf8(plain);
}

std::string_view without_indent(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

}  // namespace

std::string plain_line(std::string_view line) {
  std::string plain = plain_text(line);
  while (!plain.empty() && plain.back() == '\n') plain.pop_back();
  return plain;
}

struct LineScanner::Patterns {
  std::vector<std::unique_ptr<RE2>> all;
  std::size_t joined = 0;
  std::unique_ptr<RE2::Set> any;  ///< all patterns, to pass over a region in which none can match

  std::optional<std::size_t> first_match(std::string_view line, std::size_t count) const {
    for (std::size_t index = 0; index < count; ++index) {
      if (all[index] && RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *all[index]))
        return index;
    }
    return std::nullopt;
  }
};

LineScanner::LineScanner(const std::vector<std::string>& patterns, std::size_t joined)
    : patterns_(std::make_unique<Patterns>()) {
  patterns_->joined = std::min(joined, patterns.size());
  auto any = std::make_unique<RE2::Set>(quiet(), RE2::UNANCHORED);
  bool covers_all = true;
  for (const std::string& pattern : patterns) {
    auto compiled = std::make_unique<RE2>(pattern, quiet());
    if (!compiled->ok()) compiled.reset();
    // In a region of many lines, \A and \z and a switched-off (?m) mean something else than in one line.
    const bool same_in_region = pattern.find("\\A") == std::string::npos &&
                                pattern.find("\\z") == std::string::npos &&
                                pattern.find("(?") == std::string::npos;
    if (compiled && (!same_in_region || any->Add("(?m)" + pattern, nullptr) < 0)) covers_all = false;
    patterns_->all.push_back(std::move(compiled));
  }
  if (covers_all && !patterns.empty() && any->Compile()) patterns_->any = std::move(any);
}

LineScanner::~LineScanner() = default;

bool LineScanner::region_may_match(const std::string& text) const {
  return !patterns_->any || patterns_->any->Match(text, nullptr);
}

void LineScanner::remember(std::string line) {
  before_.push_back(std::move(line));
  if (before_.size() > 2) before_.pop_front();
}

std::vector<LineHit> LineScanner::feed(std::string_view bytes, std::uint64_t position) {
  std::vector<LineHit> hits;
  if (patterns_->all.empty()) return hits;
  if (carry_.empty()) carry_position_ = position;
  const std::size_t end = bytes.find_last_of("\r\n");
  if (end == std::string_view::npos) {
    carry_.append(bytes);
  } else {
    carry_.append(bytes.substr(0, end + 1));
    scan_region(carry_, carry_position_, hits);
    carry_.assign(bytes.substr(end + 1));
    carry_position_ = position + end + 1;
  }
  if (carry_.size() > kPieceBytes) {
    scan_region(carry_, carry_position_, hits);
    carry_position_ += carry_.size() - kOverlapBytes;
    carry_.erase(0, carry_.size() - kOverlapBytes);
  }
  return hits;
}

std::vector<LineHit> LineScanner::pending() const {
  std::vector<LineHit> hits;
  if (const auto match = patterns_->first_match(plain_line(carry_), patterns_->all.size())) {
    hits.push_back({*match, carry_position_, carry_position_ + carry_.size()});
  }
  return hits;
}

void LineScanner::scan_region(std::string_view region, std::uint64_t position, std::vector<LineHit>& hits) {
  const std::string plain = plain_text(region);
  const bool lines_may = region_may_match(plain);
  bool joined_may = false;
  if (patterns_->joined > 0) {
    std::string spaced, glued;
    for (const std::string& line : before_) {
      spaced += line + " ";
      glued += line;
    }
    bool indent = true;
    for (const char byte : plain) {
      if (byte == '\n') {
        if (!indent) spaced.push_back(' ');
        indent = true;
        continue;
      }
      if (indent && (byte == ' ' || byte == '\t')) continue;
      indent = false;
      spaced.push_back(byte);
      glued.push_back(byte);
    }
    joined_may = region_may_match(spaced) || region_may_match(glued);
  }
  if (!lines_may && !joined_may) {
    // Only the last two lines can be part of a later wrapped message.
    std::string_view rest = region;
    std::vector<std::string> last;
    while (!rest.empty() && last.size() < 2) {
      if (rest.ends_with("\r\n")) rest.remove_suffix(1);
      if (rest.back() == '\n' || rest.back() == '\r') rest.remove_suffix(1);
      const std::size_t begin = rest.find_last_of("\r\n");
      last.push_back(plain_line(begin == std::string_view::npos ? rest : rest.substr(begin + 1)));
      rest = begin == std::string_view::npos ? std::string_view() : rest.substr(0, begin + 1);
    }
    for (auto line = last.rbegin(); line != last.rend(); ++line) remember(std::move(*line));
    return;
  }
  for (std::size_t at = 0; at < region.size();) {
    std::size_t end = region.find_first_of("\r\n", at);
    end = end == std::string_view::npos ? region.size() : end + 1;
    if (end < region.size() && region[end - 1] == '\r' && region[end] == '\n') ++end;
    std::string line = plain_line(region.substr(at, end - at));
    std::optional<std::size_t> match;
    if (lines_may) match = patterns_->first_match(line, patterns_->all.size());
    if (!match && joined_may && !before_.empty() && before_.back().size() >= kWrappedBytes) {
      std::string spaced(without_indent(line)), glued = spaced;
      for (auto earlier = before_.rbegin(); earlier != before_.rend() && earlier->size() >= kWrappedBytes;
           ++earlier) {
        spaced = std::string(without_indent(*earlier)) + " " + spaced;
        glued = std::string(without_indent(*earlier)) + glued;
      }
      match = patterns_->first_match(spaced, patterns_->joined);
      if (!match) match = patterns_->first_match(glued, patterns_->joined);
    }
    if (match) hits.push_back({*match, position + at, position + end});
    remember(std::move(line));
    at = end;
  }
}

}  // namespace brink
