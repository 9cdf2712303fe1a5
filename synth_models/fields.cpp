#include "synth_models/fields.hpp"

#include <charconv>
#include <cmath>

#include "synth_models/spec.hpp"

namespace brink::synth {

std::uint64_t read_count(const std::string& field, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool canonical = text == "0" || (!text.empty() && text.front() != '0');
  if (error != std::errc{} || end != text.data() + text.size() || !canonical) {
    throw SpecError(field, field + " takes a whole number from 0 to 18446744073709551615, not \"" +
                               std::string(text) + "\"");
  }
  return value;
}

double read_number(const std::string& field, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw SpecError(field,
                    field + " takes a number such as 10000 or 1e-6, not \"" + std::string(text) + "\"");
  }
  return value;
}

bool read_bool(const std::string& field, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw SpecError(field, field + " takes true or false, not \"" + std::string(text) + "\"");
}

std::string number_text(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace brink::synth
