#pragma once

#include <chrono>
#include <optional>

#include "harness/core/files.hpp"

namespace brink::cli {

/// INT, TERM and HUP as a descriptor. While it lives they interrupt nothing: they are read. Children of ours
/// must reset their signal mask (brink-supervise does).
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// Readable when a signal came.
  int descriptor() const { return fd_.get(); }
  /// The first signal that came, remembered.
  std::optional<int> first();
  /// Whether another one comes within this time.
  bool another_within(std::chrono::milliseconds time);

 private:
  std::optional<int> read_one();
  Descriptor fd_;
  std::optional<int> first_;
};

}  // namespace brink::cli
