#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace brink {

/// Turns the bytes of a terminal session into plain lines, in constant memory: escape sequences (also those
/// whose ESC was lost, like "[?25l"), NULs and other control characters are dropped, a progress bar that a
/// carriage return redraws is kept only in its last state, runs of more than eight blanks become one, bytes
/// that are not UTF-8 become U+FFFD. A line longer than kPiece comes out in pieces, without a newline between
/// them.
class Stripper {
 public:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  /// Appends to `text` what is certain by now: whole lines, each with its newline, and pieces of long ones.
  void feed(std::string_view bytes, std::string& text);
  /// Appends the last line, which had no newline.
  void finish(std::string& text);

 private:
  enum class State { text, carriage_return, escape, control, string, string_escape };

  std::size_t plain(std::string_view bytes, std::size_t at, std::string& text);
  void control_byte(unsigned char byte, std::string& text);
  void sequence_byte(unsigned char byte, std::string& text);
  void end_control(unsigned char final, std::string& text);
  void end_line(std::string& text);
  void redraw(std::string& text);
  void flush(std::string& text);

  State state_ = State::text;
  std::string line_;        ///< what the current line shows, up to kPiece
  std::string parameters_;  ///< of the escape sequence being read
  std::size_t swallowed_ = 0;
};

/// The same for bytes that are at hand: a line, or a short log.
std::string strip(std::string_view bytes);

}  // namespace brink
