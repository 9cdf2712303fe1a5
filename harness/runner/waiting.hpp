#pragma once

#include <algorithm>

namespace brink {

class Inquiry;

/// What to do about an input that changes with every trial.
inline constexpr const char* kOutputRemedy =
    "; if the command writes one of its arguments itself, remove that file before it starts, so that it "
    "counts as an "
    "output";

/// Whether one of those waiting is this inquiry.
bool waits(const auto& waiting, const Inquiry* inquiry) {
  return std::any_of(waiting.begin(), waiting.end(), [&](const auto& one) { return one.inquiry == inquiry; });
}

}  // namespace brink
