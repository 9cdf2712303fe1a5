#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brink::synth {

/// A protobuf message as bytes, written field by field (the wire format is public and stable). Strings and
/// messages are length-delimited; integers are varints.
class Wire {
 public:
  Wire& integer(unsigned field, std::int64_t value);
  Wire& text(unsigned field, std::string_view value);
  Wire& message(unsigned field, const Wire& value) { return text(field, value.bytes()); }
  /// The tag and length of a field whose `size` bytes follow from elsewhere.
  Wire& head(unsigned field, std::uint64_t size);
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

}  // namespace brink::synth
