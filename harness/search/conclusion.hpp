#pragma once

#include "harness/search/needs.hpp"

namespace brink {

/// The answer that the trials give; `finished`: nothing more would be tried.
Answer conclude(const Scene& scene, const Axis& axis, bool finished);

}  // namespace brink
