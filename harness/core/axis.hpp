#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/number.hpp"

namespace brink {

/// Where on an axis: 0 is the easiest value, size()-1 the hardest. Wide enough for 2^64 + 2^63 values.
using Position = Int;

/// One position for each axis of an experiment, in the order of its axes.
using Point = std::vector<Position>;

/// A parameter that varies. Immutable. Values are ordered from the easiest to the hardest: as written for
/// ranges and sets, reversed for `:down`. Grammar (CONTRACT 1): `a..b`, `a..b..step`, `a..` (open),
/// `a..b:log2`, `a..b:down` (also `a..b..step:down`, `a..b:log2:down`), and sets `x,y,z`.
class Axis {
 public:
  enum class Form { range, open, log2, set };

  /// Parses the grammar. Throws a usage Error whose `where` is empty ("axis NAME: first 8 is greater than
  /// last 4"). Duplicate values of a set, a zero step and an empty set are errors.
  static Axis parse(std::string_view name, std::string_view text);
  /// A set of values in the order given; `labels` marks a set whose order means nothing (`by`).
  static Axis of_set(std::string name, std::vector<std::string> values, bool labels = false);

  const std::string& name() const { return name_; }
  Form form() const { return form_; }
  bool labels() const { return labels_; }
  /// Larger values are easier (`:down`).
  bool down() const { return down_; }
  bool open() const { return form_ == Form::open; }
  /// How many values; for an open axis those up to 2^64-1.
  Position size() const;
  /// The value at a position as text; position must be in [0, size()).
  std::string value(Position position) const;
  /// The value as an integer; nullopt for text values.
  std::optional<Int> integer(Position position) const;
  /// nullopt when `value` is not on the axis (off its range, or off its grid).
  std::optional<Position> position(std::string_view value) const;
  /// Canonical text of the grammar; parse(name, text()) is the same axis.
  std::string text() const;
  /// What the reader should be told: "ends at 9, the last grid value up to 10"; nullopt when nothing.
  std::optional<std::string> remark() const;
  /// Marks the axis as labels (what follows `by`).
  void set_labels(bool labels) { labels_ = labels; }

 private:
  std::string name_;
  Form form_ = Form::set;
  bool labels_ = false, down_ = false;
  Int first_ = 0, last_ = 0, step_ = 1, asked_last_ = 0;
  std::vector<std::string> values_;
};

}  // namespace brink
