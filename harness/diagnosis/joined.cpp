#include "harness/diagnosis/joined.hpp"

#include <string.h>

#include <algorithm>

#include "harness/core/text.hpp"

namespace brink {

namespace {

/// Two blanks in a row, or a tab. string::find would stop at every single blank.
bool has_wide_blank(std::string_view line) {
  return ::memmem(line.data(), line.size(), "  ", 2) != nullptr || line.find('\t') != std::string_view::npos;
}

/// Appends a line without its outer blanks and with single blanks inside.
void append_words(std::string_view line, std::string& text) {
  line = trim(line);
  if (line.empty()) return;
  // A word wrapper breaks at a hyphen too, and leaves it at the end of the line.
  if (!text.empty() && text.back() != '-') text += ' ';
  const std::size_t from = text.size();
  text += line;
  if (!has_wide_blank(line)) return;
  std::size_t to = from;
  for (std::size_t at = from; at < text.size(); ++at) {
    const bool blank = text[at] == ' ' || text[at] == '\t';
    if (blank && to > from && text[to - 1] == ' ') continue;
    text[to++] = blank ? ' ' : text[at];
  }
  text.resize(to);
}

}  // namespace

Joined::Joined(std::string_view text, Joining joining) : original_(text), joining_(joining) {
  if (joining == Joining::lines) text_ = text;
  text_.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    switch (joining) {
      case Joining::lines:
        lines_.emplace_back(at, at);
        break;
      case Joining::blanks:
        lines_.emplace_back(text_.size(), at);
        append_words(line, text_);
        break;
      case Joining::glued:
        lines_.emplace_back(text_.size(), at);
        text_ += line;
        break;
    }
    at = end + 1;
  }
}

std::size_t Joined::origin(std::size_t position) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), position,
                                      [](std::size_t at, const auto& line) { return at < line.first; });
  if (after == lines_.begin()) return 0;
  const auto [start, from] = *std::prev(after);
  if (joining_ != Joining::blanks) return from + position - start;
  std::string words(text_, 0, start);  // replayed: only the joined line knows how many blanks it lost
  const std::size_t end = std::min(original_.find('\n', from), original_.size());
  std::size_t low = from, high = end;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    words.resize(start);
    append_words(original_.substr(from, middle + 1 - from), words);
    if (words.size() > position)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace brink
