#include "synth_models/wire.hpp"

namespace brink::synth {

void Wire::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

Wire& Wire::integer(unsigned field, std::int64_t value) {
  varint(std::uint64_t{field} << 3);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

Wire& Wire::head(unsigned field, std::uint64_t size) {
  varint((std::uint64_t{field} << 3) | 2);
  varint(size);
  return *this;
}

Wire& Wire::text(unsigned field, std::string_view value) {
  head(field, value.size());
  bytes_.append(value);
  return *this;
}

}  // namespace brink::synth
