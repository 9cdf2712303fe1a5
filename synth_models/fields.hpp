#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brink::synth {

/// Strict readers of a field's text; each throws SpecError naming the field and what would be right.
std::uint64_t read_count(const std::string& field, std::string_view text);
double read_number(const std::string& field, std::string_view text);
bool read_bool(const std::string& field, std::string_view text);
/// JSON text of a floating-point number that reads back equal and cannot be taken for an integer.
std::string number_text(double value);

}  // namespace brink::synth
