#include "harness/core/quantity.hpp"

#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>

#include "harness/core/text.hpp"

namespace brink {

namespace {

/// A plain decimal number and the unit after it ("1.5", "GiB"); nullopt when there is no number in front.
struct Amount {
  double number = 0;
  std::string unit;
};

std::optional<Amount> amount_of(std::string_view text) {
  text = trim(text);
  std::size_t digits = 0;
  bool point = false, digit = false;
  while (digits < text.size()) {
    const char c = text[digits];
    if (c >= '0' && c <= '9')
      digit = true;
    else if (c == '.' && !point)
      point = true;
    else
      break;
    ++digits;
  }
  if (!digit) return std::nullopt;
  const std::string number(text.substr(0, digits));
  return Amount{std::strtod(number.c_str(), nullptr), std::string(trim(text.substr(digits)))};
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  static const std::map<std::string, double> units = {{"", 1e3},  {"ms", 1},    {"s", 1e3},   {"sec", 1e3},
                                                      {"m", 6e4}, {"min", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};
  const auto amount = amount_of(text);
  if (!amount) return std::nullopt;
  const auto unit = units.find(amount->unit);
  if (unit == units.end()) return std::nullopt;
  const double ms = amount->number * unit->second;
  if (!(ms <= 1e15)) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::llround(ms)));
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  static const std::map<std::string, double> units = {
      {"", 1},       {"B", 1},        {"K", 0x1p10},   {"KiB", 0x1p10}, {"kB", 1e3},   {"KB", 1e3},
      {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"G", 0x1p30},   {"g", 0x1p30}, {"GiB", 0x1p30},
      {"GB", 1e9},   {"T", 0x1p40},   {"TiB", 0x1p40}, {"TB", 1e12},    {"k", 0x1p10}, {"m", 0x1p20}};
  const auto amount = amount_of(text);
  if (!amount) return std::nullopt;
  const auto unit = units.find(amount->unit);
  if (unit == units.end()) return std::nullopt;
  const double bytes = amount->number * unit->second;
  if (!(bytes < 0x1p63)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (amount < 0x1p10) return fmt::format("{} B", bytes);
  if (amount < 0x1p20) return fmt::format("{:.0f} KiB", amount / 0x1p10);
  if (amount < 0x1p30) return fmt::format("{:.0f} MiB", amount / 0x1p20);
  return fmt::format("{:.1f} GiB", amount / 0x1p30);
}

std::string utc_text(std::int64_t epoch_ms) {
  const std::time_t seconds = epoch_ms / 1000;
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace brink
