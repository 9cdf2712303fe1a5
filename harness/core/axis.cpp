#include "harness/core/axis.hpp"

#include <set>
#include <utility>

#include "harness/core/error.hpp"

namespace brink {

namespace {

Error axis_error(std::string_view name, const std::string& what, const std::string& remedy = "") {
  return usage_error("axis " + std::string(name) + ": " + what, "", remedy);
}

Int integer_of(std::string_view name, std::string_view text) {
  if (const auto value = parse_int(text)) return *value;
  throw axis_error(name, "\"" + std::string(text) + "\" is not an integer from -2^63 to 2^64-1",
                   "ranges are a..b, a..b..step, a.., a..b:log2, a..b:down");
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(separator, from)) != std::string_view::npos;
       from = at + separator.size())
    parts.emplace_back(text.substr(from, at - from));
  parts.emplace_back(text.substr(from));
  return parts;
}

/// a, 2a, 4a … below last, then last.
std::vector<std::string> doublings(Int first, Int last) {
  std::vector<std::string> values;
  for (Int value = first; value < last; value *= 2) values.push_back(to_text(value));
  values.push_back(to_text(last));
  return values;
}

}  // namespace

Axis Axis::parse(std::string_view name, std::string_view text) {
  if (text.find("..") == std::string_view::npos) return of_set(std::string(name), split(text, ","));
  Axis axis;
  axis.name_ = name;
  std::string_view range = text;
  const auto modifiers = text.find(':');
  bool log2 = false;
  if (modifiers != std::string_view::npos) {
    range = text.substr(0, modifiers);
    for (const std::string& word : split(text.substr(modifiers + 1), ":")) {
      if (word == "down" && !axis.down_)
        axis.down_ = true;
      else if (word == "log2" && !log2)
        log2 = true;
      else
        throw axis_error(name, "unknown \":" + word + "\"", "known are :log2 and :down");
    }
  }
  const auto parts = split(range, "..");
  if (parts.size() > 3)
    throw axis_error(name, "\"" + std::string(text) + "\" has too many \"..\"", "write a..b..step");
  axis.first_ = integer_of(name, parts[0]);
  if (parts[1].empty() && parts.size() == 2) {
    if (log2 || axis.down_) throw axis_error(name, "an open range takes no :log2 and no :down");
    axis.form_ = Form::open;
    axis.last_ = kMaxValue;
    return axis;
  }
  axis.asked_last_ = integer_of(name, parts[1]);
  if (axis.first_ > axis.asked_last_)
    throw axis_error(name, "first " + parts[0] + " is greater than last " + parts[1],
                     "write the smaller value first (a..b:down when larger is easier)");
  if (log2) {
    if (parts.size() == 3) throw axis_error(name, "a step and :log2 exclude each other");
    if (axis.first_ < 1) throw axis_error(name, ":log2 doubles from " + parts[0], "start at 1 or above");
    axis.form_ = Form::log2;
    axis.last_ = axis.asked_last_;
    axis.values_ = doublings(axis.first_, axis.last_);
    return axis;
  }
  axis.form_ = Form::range;
  if (parts.size() == 3) axis.step_ = integer_of(name, parts[2]);
  if (axis.step_ < 1) throw axis_error(name, "step " + to_text(axis.step_) + " is less than 1");
  axis.last_ = axis.first_ + (axis.asked_last_ - axis.first_) / axis.step_ * axis.step_;
  return axis;
}

Axis Axis::of_set(std::string name, std::vector<std::string> values, bool labels) {
  if (values.empty()) throw axis_error(name, "the set is empty");
  std::set<std::string_view> seen;
  for (const std::string& value : values) {
    if (value.empty() && !labels && values.size() == 1) throw axis_error(name, "the set is empty");
    if (!seen.insert(value).second) throw axis_error(name, "\"" + value + "\" is there twice");
  }
  Axis axis;
  axis.name_ = std::move(name);
  axis.form_ = Form::set;
  axis.labels_ = labels;
  axis.values_ = std::move(values);
  return axis;
}

Position Axis::size() const {
  if (!values_.empty()) return static_cast<Position>(values_.size());
  return (last_ - first_) / step_ + 1;
}

std::string Axis::value(Position position) const {
  const Position index = down_ ? size() - 1 - position : position;
  if (!values_.empty()) return values_.at(static_cast<std::size_t>(index));
  return to_text(first_ + index * step_);
}

std::optional<Int> Axis::integer(Position position) const { return parse_int(value(position)); }

std::optional<Position> Axis::position(std::string_view value) const {
  std::optional<Position> index;
  if (!values_.empty()) {
    for (std::size_t i = 0; i < values_.size() && !index; ++i)
      if (values_[i] == value) index = static_cast<Position>(i);
  } else if (const auto number = parse_int(value);
             number && *number >= first_ && *number <= last_ && (*number - first_) % step_ == 0) {
    index = (*number - first_) / step_;
  }
  if (!index) return std::nullopt;
  return down_ ? size() - 1 - *index : *index;
}

std::string Axis::text() const {
  if (form_ == Form::set) {
    std::string text;
    for (const std::string& value : values_) text += (text.empty() ? "" : ",") + value;
    return text;
  }
  std::string text = to_text(first_) + "..";
  if (form_ == Form::open) return text;
  text += to_text(asked_last_);
  if (step_ != 1) text += ".." + to_text(step_);
  if (form_ == Form::log2) text += ":log2";
  if (down_) text += ":down";
  return text;
}

std::optional<std::string> Axis::remark() const {
  if (form_ != Form::range || last_ == asked_last_) return std::nullopt;
  return "axis " + name_ + " ends at " + to_text(last_) + ", the last grid value up to " +
         to_text(asked_last_);
}

}  // namespace brink
