#pragma once

#include <chrono>
#include <string>

#include "harness/runner/runner.hpp"

namespace brink::cli {

/// The view of a search on stderr: one live line with the closing bracket on a terminal, plain lines
/// elsewhere.
class Progress {
 public:
  enum class Style { automatic, silent };
  explicit Progress(Style style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const Event& event, const Runner& runner);
  /// Removes the live line, so that other text may follow.
  void clear();

 private:
  void line(const std::string& text);
  void redraw(const Runner& runner);

  bool silent_, live_;
  bool drawn_ = false;
  std::string bracket_;
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace brink::cli
