#include "harness/core/number.hpp"

#include <algorithm>

namespace brink {

std::optional<Int> parse_int(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits.size() > 20) return std::nullopt;
  if (digits.front() == '0' && (digits.size() > 1 || negative)) return std::nullopt;
  Int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (negative) value = -value;
  if (value < kMinValue || value > kMaxValue) return std::nullopt;
  return value;
}

std::string to_text(Int value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (Int rest = value; rest != 0; rest /= 10) {
    const int digit = static_cast<int>(rest % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace brink
