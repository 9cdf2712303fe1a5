#include <algorithm>
#include <set>

#include "harness/campaign/reading.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"
#include "synth_models/spec.hpp"

namespace brink {

namespace {

/// Grids up to this size are checked value by value; of larger ones the ends (and all values of sets).
constexpr Position kSmallGrid = 4096;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string remedy_of(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = did_you_mean(word, known);
  return near.size() > 2 ? near.substr(2) : "";
}

/// Checks one loaded campaign; every complaint once.
class Check {
 public:
  Check(const Campaign& campaign, bool inline_toolchain, const Lines& lines, Complaints& complaints)
      : campaign_(campaign),
        inline_(inline_toolchain),
        lines_(lines),
        complaints_(complaints),
        placeholders_(placeholders_of(campaign.toolchain)),
        fields_(synth::field_names()) {}

  void run();

 private:
  int line(const std::string& what, const std::string& otherwise = "") const;
  void complain(int line, const std::string& where, const std::string& what, const std::string& remedy = "");
  const Parameter* parameter(const std::string& name) const;
  bool is_field(const std::string& name) const;
  bool is_used(const std::string& parameter) const;
  std::vector<std::string> parameter_names() const;

  void check_options();
  void check_needs();
  void check_order(const Experiment& experiment);
  void check_axis(const Experiment& experiment, const Axis& axis);
  void check_at(const Experiment& experiment);
  void check_reference(const Experiment& experiment, const std::string& name, const std::string& value);
  bool comes_before(const std::string& earlier, const Experiment& experiment) const;
  void check_values_given(const Experiment& experiment);
  void check_shapes(const Experiment& experiment);
  bool check_shape(const Experiment& experiment, const Point& point);

  const Campaign& campaign_;
  bool inline_;
  const Lines& lines_;
  Complaints& complaints_;
  std::vector<std::string> placeholders_, fields_;
  std::set<std::pair<int, std::string>> said_;
};

int Check::line(const std::string& what, const std::string& otherwise) const {
  if (const auto found = lines_.find(what); found != lines_.end()) return found->second;
  const auto found = lines_.find(otherwise);
  return found == lines_.end() ? 1 : found->second;
}

void Check::complain(int line, const std::string& where, const std::string& what, const std::string& remedy) {
  if (said_.emplace(line, what).second) complaints_.add(line, where, what, remedy);
}

const Parameter* Check::parameter(const std::string& name) const {
  for (const Parameter& known : campaign_.toolchain.parameters)
    if (known.name == name) return &known;
  return nullptr;
}

bool Check::is_field(const std::string& name) const {
  return !campaign_.toolchain.needs.empty() && contains(fields_, name);
}

bool Check::is_used(const std::string& name) const {
  return contains(placeholders_, name) ||
         std::any_of(campaign_.toolchain.stages.begin(), campaign_.toolchain.stages.end(),
                     [&](const Stage& stage) { return contains(stage.depends, name); });
}

std::vector<std::string> Check::parameter_names() const {
  std::vector<std::string> names;
  for (const Parameter& known : campaign_.toolchain.parameters) names.push_back(known.name);
  return names;
}

void Check::check_options() {
  for (const auto& [name, value] : campaign_.options) {
    const int at = line("option " + name);
    const Parameter* known = parameter(name);
    if (known == nullptr && contains(placeholders_, name) && !is_reserved(name)) continue;
    if (known == nullptr)
      complain(at, "option " + name, "toolchain " + campaign_.toolchain.name + " has no such parameter",
               remedy_of(name, parameter_names()));
    else if (const auto problem = parameter_problem(*known, value))
      complain(at, "option " + name, *problem);
  }
}

void Check::check_needs() {
  const Toolchain& toolchain = campaign_.toolchain;
  if (toolchain.needs.empty() && !campaign_.model.empty())
    complain(line("model"), "[model]", "toolchain " + toolchain.name + " needs no model", "remove it");
  if (!toolchain.needs.empty() && campaign_.model.empty())
    complain(1, "[model]", "is missing; toolchain " + toolchain.name + " needs one",
             "write preset = \"" + synth::preset_names().front() + "\", or fields");
  if (!campaign_.script.empty() && !reads_script(toolchain))
    complain(line("script"), "[script]", "no stage of toolchain " + toolchain.name + " reads a script",
             "give a stage {script}");
}

void Check::check_order(const Experiment& experiment) {
  if (experiment.after.empty()) return;
  const std::string where = "experiment " + experiment.name;
  const int at = line(where + " after");
  std::vector<std::string> others;
  for (const Experiment& other : campaign_.experiments)
    if (other.name != experiment.name) others.push_back(other.name);
  if (!contains(others, experiment.after) && experiment.after != experiment.name)
    complain(at, where + " after", "there is no experiment \"" + experiment.after + "\"",
             remedy_of(experiment.after, others));
  else if (comes_before(experiment.name, experiment))
    complain(at, where + " after", "the experiments wait for each other", "let one be the first");
}

bool Check::comes_before(const std::string& earlier, const Experiment& experiment) const {
  std::string next = experiment.after;
  for (std::size_t steps = 0; steps <= campaign_.experiments.size() && !next.empty(); ++steps) {
    if (next == earlier) return true;
    const auto found = std::find_if(campaign_.experiments.begin(), campaign_.experiments.end(),
                                    [&](const Experiment& other) { return other.name == next; });
    next = found == campaign_.experiments.end() ? "" : found->after;
  }
  return false;
}

void Check::check_axis(const Experiment& experiment, const Axis& axis) {
  const std::string& name = axis.name();
  const int at = line("experiment " + experiment.name + " axis " + name);
  const auto known = known_axes(campaign_);
  if (!contains(known, name)) {
    complain(at, "axis " + name, "is unknown: nothing uses it", remedy_of(name, known));
    return;
  }
  const Parameter* declared = parameter(name);
  if (declared == nullptr) return;
  if (!is_used(name))
    complain(at, "axis " + name, "no stage uses this parameter",
             "list it in a stage's depends, or write {" + name + "} in its argv");
  std::vector<std::string> values{axis.value(0)};
  if (!axis.open()) values.push_back(axis.value(axis.size() - 1));
  if (axis.size() <= kSmallGrid)
    for (Position i = 0; i < axis.size(); ++i) values.push_back(axis.value(i));
  for (const std::string& value : values)
    if (const auto problem = parameter_problem(*declared, value)) complain(at, "axis " + name, *problem);
}

void Check::check_reference(const Experiment& experiment, const std::string& name, const std::string& value) {
  const std::string where = "experiment " + experiment.name + " at";
  for (const std::string& reference : placeholders(value)) {
    const std::size_t dot = reference.find('.');
    const std::string other = reference.substr(0, dot);
    const std::string what = dot == std::string::npos ? "" : reference.substr(dot + 1);
    std::vector<std::string> names;
    for (const Experiment& known : campaign_.experiments) names.push_back(known.name);
    if (what != "first_bad" && what != "last_good")
      complain(line(where), where + "." + name, "{" + reference + "} is no answer of an experiment",
               "write {NAME.first_bad} or {NAME.last_good}");
    else if (!contains(names, other))
      complain(line(where), where + "." + name, "there is no experiment \"" + other + "\"",
               remedy_of(other, names));
    else if (!comes_before(other, experiment))
      complain(line(where), where + "." + name, "experiment " + other + " need not be answered before",
               "write after = \"" + other + "\"");
  }
}

void Check::check_at(const Experiment& experiment) {
  const std::string where = "experiment " + experiment.name + " at";
  const auto known = known_axes(campaign_);
  for (const auto& [name, value] : experiment.at) {
    if (!contains(known, name)) {
      complain(line(where), where, "\"" + name + "\" is unknown: nothing uses it", remedy_of(name, known));
      continue;
    }
    for (const Axis& axis : experiment.axes)
      if (axis.name() == name) complain(line(where), where, "\"" + name + "\" is an axis, too", "keep one");
    try {
      if (!placeholders(value).empty()) {
        check_reference(experiment, name, value);
        continue;
      }
    } catch (const Error& error) {
      complain(line(where), where + "." + name, error.message(), error.remedy());
      continue;
    }
    const Parameter* declared = parameter(name);
    const auto problem = declared == nullptr ? std::nullopt : parameter_problem(*declared, value);
    if (problem) complain(line(where), where + "." + name, *problem);
  }
}

/// Every placeholder and every declared dependency must have a value in this experiment's configs.
void Check::check_values_given(const Experiment& experiment) {
  const Config config = config_of(campaign_, experiment, Point(experiment.axes.size(), 0));
  std::vector<std::string> given;
  for (const auto& entry : config.values) given.push_back(entry.first);
  const auto missing = [&](const std::string& name) {
    return !is_reserved(name) && name.find('.') == std::string::npos && !contains(given, name);
  };
  const int at = line("experiment " + experiment.name);
  for (const Stage& stage : campaign_.toolchain.stages) {
    std::vector<std::string> wanted = placeholders_of(stage);
    wanted.insert(wanted.end(), stage.depends.begin(), stage.depends.end());
    for (const std::string& name : wanted) {
      if (!missing(name)) continue;
      const std::string where = "stage " + stage.name;
      if (parameter(name) != nullptr)
        complain(at, "experiment " + experiment.name, "parameter " + name + " has no value",
                 "set it in [options] or as an axis");
      else if (inline_)
        complain(line(where + " argv"), where, unknown_placeholder(name, given));
      else
        complain(
            at, "experiment " + experiment.name,
            where + " of toolchain " + campaign_.toolchain.name + " has " + unknown_placeholder(name, given));
    }
  }
  for (const auto& [variable, value] : campaign_.toolchain.environment)
    for (const std::string& name : placeholders(value))
      if (missing(name)) complain(at, "[environment] " + variable, unknown_placeholder(name, given));
}

bool Check::check_shape(const Experiment& experiment, const Point& point) {
  auto fields = campaign_.model;
  std::string values;
  for (const auto& [name, value] : experiment.at)
    if (is_field(name) && placeholders(value).empty()) fields[name] = value;
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    const Axis& axis = experiment.axes[i];
    if (!is_field(axis.name())) continue;
    fields[axis.name()] = axis.value(point[i]);
    values += (values.empty() ? "" : " ") + axis.name() + "=" + axis.value(point[i]);
  }
  try {
    synth::spec_from_fields(fields);
    return true;
  } catch (const synth::SpecError& error) {
    const std::string where = "experiment " + experiment.name;
    int at = line("model " + error.field(), "model");
    std::string said = "[model]";
    // nrep stands in place of kv_heads, so a rule of the one may be broken by the other.
    for (const Axis& axis : experiment.axes)
      if (is_field(axis.name()) &&
          (axis.name() == error.field() || !lines_.contains("model " + error.field()))) {
        at = line(where + " axis " + axis.name());
        said = "axis " + axis.name();
      }
    if (experiment.at.contains(error.field())) at = line(where + " at");
    complain(at, said, std::string(error.what()) + (values.empty() ? "" : " (at " + values + ")"));
    return false;
  }
}

void Check::check_shapes(const Experiment& experiment) {
  if (campaign_.toolchain.needs.empty()) return;
  Position points = 1;
  for (const Axis& axis : experiment.axes)
    if (is_field(axis.name()))
      points = std::min(points * std::min(axis.size(), kSmallGrid + 1), kSmallGrid + 1);
  Point point(experiment.axes.size(), 0);
  if (points <= kSmallGrid) {
    for (Position rest = 0; rest < points; ++rest) {
      Position left = rest;
      for (std::size_t i = 0; i < point.size(); ++i) {
        if (!is_field(experiment.axes[i].name())) continue;
        point[i] = left % experiment.axes[i].size();
        left /= experiment.axes[i].size();
      }
      if (!check_shape(experiment, point)) return;
    }
    return;
  }
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Axis& axis = experiment.axes[i];
    std::fill(point.begin(), point.end(), 0);
    if (!check_shape(experiment, point)) return;
    if (!axis.open()) point[i] = axis.size() - 1;
    if (!check_shape(experiment, point)) return;
    for (Position value = 0; axis.form() == Axis::Form::set && value < axis.size(); ++value) {
      point[i] = value;
      if (!check_shape(experiment, point)) return;
    }
  }
}

void Check::run() {
  check_options();
  check_needs();
  for (const Experiment& experiment : campaign_.experiments) {
    check_order(experiment);
    for (const Axis& axis : experiment.axes) check_axis(experiment, axis);
    check_at(experiment);
    if (complaints_.any()) continue;  // values and shapes only of what is well formed
    check_values_given(experiment);
    check_shapes(experiment);
  }
}

}  // namespace

void check_campaign(const Campaign& campaign, bool inline_toolchain, const Lines& lines,
                    Complaints& complaints) {
  Check(campaign, inline_toolchain, lines, complaints).run();
}

}  // namespace brink
