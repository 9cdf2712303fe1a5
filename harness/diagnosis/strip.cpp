#include "harness/diagnosis/strip.hpp"

#include <string.h>

#include <algorithm>
#include <array>

#include "harness/core/text.hpp"

namespace brink {

namespace {

constexpr std::size_t kMaxParameters = 64;
/// A string sequence (OSC, DCS, …) that never ends must not swallow the log.
constexpr std::size_t kMaxString = 4096;
constexpr std::string_view kLongBlank = "         ";

/// Bytes that go into the line as they are; the rest has a meaning of its own.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 256; ++byte) plain[byte] = byte != 0x7F;
  plain['\t'] = true;
  return plain;
}
constexpr auto kPlain = plain_bytes();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of an escape sequence at `at` (where "[" stands) that lost its ESC; 0 when it may be text. Only
/// forms that no text has: "[1m" may be the start of "[1m 44s]".
std::size_t orphan_at(std::string_view line, std::size_t at) {
  std::size_t end = at + 1;
  const bool is_private = end < line.size() && line[end] == '?';
  if (is_private) ++end;
  std::size_t numbers = 0, digits = 0;
  for (; end < line.size() && (is_digit(line[end]) || line[end] == ';'); ++end) {
    if (line[end] == ';') {
      if (digits == 0) return 0;
      ++numbers;
      digits = 0;
    } else if (++digits > 4) {
      return 0;
    }
  }
  if (end == line.size() || digits == 0) return 0;
  const std::string_view body = line.substr(at + 1, end - at - 1);
  const bool mode = is_private && numbers == 0 && (line[end] == 'h' || line[end] == 'l');
  const bool colour = !is_private && line[end] == 'm' && (numbers > 0 || body == "0");
  const bool erase = !is_private && line[end] == 'K' && (body == "2" || body == "0" || body == "1");
  return mode || colour || erase ? end + 1 - at : 0;
}

void drop_orphans(std::string& line) {
  std::size_t open = line.find('[');
  if (open == std::string::npos) return;
  std::string kept;
  std::size_t from = 0;
  for (; open != std::string::npos; open = line.find('[', open + 1)) {
    if (open < from) continue;
    const std::size_t length = orphan_at(line, open);
    if (length == 0) continue;
    kept.append(line, from, open - from);
    from = open + length;
  }
  if (from == 0) return;
  line = kept.append(line, from);
}

/// Where a run of more than eight blanks begins. string::find would stop at every single blank.
std::size_t long_blank(std::string_view line, std::size_t from) {
  const void* run = ::memmem(line.data() + from, line.size() - from, kLongBlank.data(), kLongBlank.size());
  return run == nullptr ? std::string::npos
                        : static_cast<std::size_t>(static_cast<const char*>(run) - line.data());
}

void collapse_blanks(std::string& line) {
  std::size_t run = long_blank(line, 0);
  if (run == std::string::npos) return;
  std::string kept;
  std::size_t from = 0;
  for (; run != std::string::npos; run = long_blank(line, from)) {
    kept.append(line, from, run + 1 - from);
    from = std::min(line.find_first_not_of(' ', run), line.size());
  }
  line = kept.append(line, from);
}

bool is_ascii(std::string_view text) {
  unsigned char all = 0;  // no early end: this loop sees every byte of every log, and so it is vectorised
  for (const char c : text) all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
  return all < 0x80;
}

/// A state of a bar or spinner that the next state replaces. Anything else that is overwritten may be the
/// only copy of a message.
bool is_progress(std::string_view line) {
  if (line.find('%') != std::string_view::npos || line.find("it/s") != std::string_view::npos) return true;
  if (line.find("\xE2\x96") != std::string_view::npos || line.find("\xE2\xA0") != std::string_view::npos)
    return true;  // block elements and the braille of spinners
  return std::none_of(line.begin(), line.end(),
                      [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

void Stripper::feed(std::string_view bytes, std::string& text) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (state_ == State::text && kPlain[byte]) {
      at = plain(bytes, at, text);
      continue;
    }
    if (state_ == State::carriage_return) {
      state_ = State::text;
      if (byte == '\r') {
        state_ = State::carriage_return;
        ++at;
        continue;
      }
      if (byte != '\n') redraw(text);
      continue;
    }
    if (state_ == State::text)
      control_byte(byte, text);
    else
      sequence_byte(byte, text);
    ++at;
  }
}

void Stripper::finish(std::string& text) {
  state_ = State::text;
  if (!line_.empty()) end_line(text);
}

/// Copies the plain bytes from `at`; returns where they end.
std::size_t Stripper::plain(std::string_view bytes, std::size_t at, std::string& text) {
  const std::size_t limit = std::min(bytes.size(), at + kPiece - line_.size());
  std::size_t end = at;
  while (end < limit && kPlain[static_cast<unsigned char>(bytes[end])]) ++end;
  line_.append(bytes, at, end - at);
  if (line_.size() >= kPiece) flush(text);
  return end;
}

void Stripper::control_byte(unsigned char byte, std::string& text) {
  switch (byte) {
    case '\n':
      end_line(text);
      break;
    case '\r':
      state_ = State::carriage_return;
      break;
    case 0x1B:
      state_ = State::escape;
      break;
    case '\b':
      while (!line_.empty() && (static_cast<unsigned char>(line_.back()) & 0xC0) == 0x80) line_.pop_back();
      if (!line_.empty()) line_.pop_back();
      break;
    case '\v':
    case '\f':
      line_ += ' ';
      break;
    default:
      break;
  }
}

void Stripper::sequence_byte(unsigned char byte, std::string& text) {
  if (byte == '\n') {  // a cut sequence; the line must not be lost with it
    state_ = State::text;
    end_line(text);
    return;
  }
  switch (state_) {
    case State::escape:
      parameters_.clear();
      swallowed_ = 0;
      if (byte == '[')
        state_ = State::control;
      else if (byte == ']' || byte == 'P' || byte == '_' || byte == '^' || byte == 'X')
        state_ = State::string;
      else if (byte < 0x20 || byte > 0x2F)  // 0x20 to 0x2F: intermediate, the final byte follows
        state_ = byte == 0x1B ? State::escape : State::text;
      break;
    case State::control:
      if (byte >= 0x40 && byte <= 0x7E)
        end_control(byte, text);
      else if (byte < 0x20 || byte > 0x3F || parameters_.size() >= kMaxParameters)
        state_ = byte == 0x1B ? State::escape : State::text;
      else
        parameters_ += static_cast<char>(byte);
      break;
    case State::string:
      if (byte == 0x1B)
        state_ = State::string_escape;
      else if (byte == 0x07 || ++swallowed_ >= kMaxString)
        state_ = State::text;
      break;
    case State::string_escape:
      state_ = byte == '\\' ? State::text : State::string;
      break;
    case State::text:
    case State::carriage_return:
      break;
  }
}

/// What a finished control sequence does to the line.
void Stripper::end_control(unsigned char final, std::string& text) {
  state_ = State::text;
  if (final == 'C')  // cursor forward: some programs write their blanks so
    line_ += ' ';
  else if (final == 'G' && (parameters_.empty() || parameters_ == "1"))
    redraw(text);
  else if (final == 'A' || final == 'B' || final == 'E' || final == 'F' || final == 'H' || final == 'J')
    redraw(text);
  if (line_.size() >= kPiece) flush(text);
}

void Stripper::end_line(std::string& text) {
  flush(text);
  text += '\n';
}

/// The cursor went elsewhere: what stood in the line is about to be written over.
void Stripper::redraw(std::string& text) {
  if (line_.empty() || is_progress(line_))
    line_.clear();
  else
    end_line(text);
}

void Stripper::flush(std::string& text) {
  std::string rest;
  if (line_.size() >= kPiece) {  // not through a character
    std::size_t end = line_.size();
    while (end + 4 > line_.size() && end > 0 && (static_cast<unsigned char>(line_[end - 1]) & 0xC0) == 0x80)
      --end;
    if (end > 0 && static_cast<unsigned char>(line_[end - 1]) >= 0xC0) --end;
    if (end + 4 >= line_.size() && end > 0) {
      rest = line_.substr(end);
      line_.resize(end);
    }
  }
  drop_orphans(line_);
  collapse_blanks(line_);
  if (is_ascii(line_))
    text += line_;
  else
    text += to_utf8(line_);
  line_ = rest;
}

std::string strip(std::string_view bytes) {
  std::string text;
  Stripper stripper;
  stripper.feed(bytes, text);
  stripper.finish(text);
  return text;
}

}  // namespace brink
