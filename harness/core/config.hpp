#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/axis.hpp"

namespace brink {

/// One value for every parameter that varies or was set, by name; values are text (integers in decimal).
struct Config {
  std::map<std::string, std::string> values;

  /// The canonical form: a JSON object with sorted names and no blanks; integers of the contract's range are
  /// numbers, everything else strings. Equal configs, equal bytes.
  std::string canonical() const;
  /// For people: "layers=17 nrep=7".
  std::string text() const;

  bool operator==(const Config&) const = default;
};

/// Reads canonical() back. Throws Error on anything else.
Config config_from_canonical(std::string_view json);

/// The config of a point: one value per axis.
Config config_at(const std::vector<Axis>& axes, const Point& point);

}  // namespace brink
