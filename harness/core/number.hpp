#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace brink {

/// An integer wide enough for every value an axis may hold (-2^63 .. 2^64-1) and for sums and differences of
/// them.
__extension__ typedef __int128 Int;

inline constexpr Int kMinValue = -(Int{1} << 63);
inline constexpr Int kMaxValue = (Int{1} << 64) - 1;

/// Reads canonical decimal text ("-12", "0", "18446744073709551615"). Anything else ("+1", "01", " 1", "-0",
/// out of range) is nullopt: such a value is text, not a number.
std::optional<Int> parse_int(std::string_view text);

/// Decimal text; the inverse of parse_int.
std::string to_text(Int value);

}  // namespace brink
