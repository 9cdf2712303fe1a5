#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace brink {

/// "90s", "1.5h", "250ms", "2d", "90" (seconds); nullopt when it is none of these, negative, or too large.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// "4GiB", "512MiB", "2GB", "100" (bytes); nullopt when it is none of these, negative, or too large.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// "1h 02m", "3m 05s", "4.2 s", "120 ms".
std::string duration_text(double seconds);
/// "24.0 GiB", "312 MiB", "17 B".
std::string bytes_text(std::uint64_t bytes);
/// UTC, "2026-12-01 03:04:05", from epoch milliseconds.
std::string utc_text(std::int64_t epoch_ms);

}  // namespace brink
