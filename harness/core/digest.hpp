#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace brink {

/// SHA-256 as 64 lower-case hex digits.
std::string sha256(std::string_view bytes);
/// SHA-256 of a file's bytes, streamed. Throws an infrastructure Error when it cannot be read.
std::string sha256_file(const std::filesystem::path& file);

/// Streaming SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  /// Hex digest; call once.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace brink
