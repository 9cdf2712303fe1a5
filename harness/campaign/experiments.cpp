#include <algorithm>
#include <array>
#include <charconv>

#include "harness/campaign/reading.hpp"
#include "harness/core/suggest.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

constexpr std::array kKinds{ExperimentKind::threshold, ExperimentKind::sweep,    ExperimentKind::frontier,
                            ExperimentKind::factor,    ExperimentKind::ablation, ExperimentKind::minimise,
                            ExperimentKind::explain};

std::optional<ExperimentKind> read_kind(TableReader& reader) {
  const auto word = reader.text("kind");
  if (!word) {
    if (!reader.has("kind")) reader.missing("kind", "threshold or sweep");
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const ExperimentKind kind : kKinds) {
    if (kind_text(kind) == *word) return kind;
    known.emplace_back(kind_text(kind));
  }
  reader.complain("kind", "\"" + *word + "\" is no kind of experiment", did_you_mean(*word, known).substr(2));
  return std::nullopt;
}

bool in_this_version(ExperimentKind kind) {
  return kind == ExperimentKind::threshold || kind == ExperimentKind::sweep;
}

std::optional<double> as_number(const TomlValue& value) {
  if (value.kind == TomlValue::Kind::integer || value.kind == TomlValue::Kind::number) return value.number;
  if (value.kind != TomlValue::Kind::string) return std::nullopt;
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// A share strictly between 0 and 1.
std::optional<double> read_share(TableReader& reader, const std::string& key, const std::string& remedy) {
  const TomlValue* value = reader.any(key);
  if (value == nullptr) return std::nullopt;
  const auto number = as_number(*value);
  if (number && *number > 0 && *number < 1) return number;
  reader.complain(key, number ? value->text + " is not between 0 and 1" : "is no share", remedy);
  return std::nullopt;
}

HoleChoice read_holes(TableReader& reader) {
  HoleChoice holes;
  const TomlValue* value = reader.any("holes");
  if (value == nullptr) return holes;
  holes.automatic = false;
  if (value->kind == TomlValue::Kind::string && value->text == "off") {
    holes.off = true;
    return holes;
  }
  holes.share = read_share(reader, "holes", "a share such as 0.25, or \"off\"").value_or(0.25);
  return holes;
}

void add_known(TableReader& reader, Experiment& experiment, const std::string& value,
               const std::string& word) {
  const auto verdict = parse_verdict(word);
  if (!verdict)
    reader.complain("known", "\"" + word + "\" is no verdict", "good, bad or skip");
  else if (experiment.axes.size() == 1 && !experiment.axes[0].position(value))
    reader.complain("known", value + " is not on axis " + experiment.axes[0].name(),
                    "its values are " + shorten(experiment.axes[0].text(), 100));
  else
    experiment.known.emplace_back(value, *verdict);
}

/// "4=good,24=bad", or a table of the same.
void read_known(TableReader& reader, Experiment& experiment) {
  if (!reader.has("known")) return;
  if (reader.any("known")->kind == TomlValue::Kind::table) {
    if (const auto table = reader.text_table("known"))
      for (const auto& [value, word] : *table) add_known(reader, experiment, value, word);
    return;
  }
  const auto text = reader.text("known");
  if (!text) return;
  for (std::size_t from = 0; from <= text->size();) {
    const std::size_t end = std::min(text->find(',', from), text->size());
    const std::string word(trim(std::string_view(*text).substr(from, end - from)));
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos)
      reader.complain("known", "\"" + word + "\" is no known verdict", "write \"4=good,24=bad\"");
    else
      add_known(reader, experiment, word.substr(0, equals), word.substr(equals + 1));
    from = end + 1;
  }
}

void check_axes_of_kind(const Experiment& experiment, TableReader& reader) {
  const std::size_t count = experiment.axes.size();
  if (experiment.kind == ExperimentKind::threshold && count != 1)
    reader.complain("axis", "has " + std::to_string(count) + " axes", "a threshold has one");
  if (experiment.kind != ExperimentKind::sweep) return;
  constexpr Position kMostPoints = 1000000;
  Position points = 1;
  for (const Axis& axis : experiment.axes) {
    if (axis.open()) return reader.complain("axis", axis.name() + " has no end", "a sweep needs one: a..b");
    points = axis.size() > kMostPoints ? kMostPoints + 1 : points * axis.size();
    if (points > kMostPoints)
      return reader.complain("axis", "the grid has more than a million points", "give it a step");
  }
}

/// Keys of kinds that are not in this version, so that a file for them gets one complaint, not many.
void pass_over_other_keys(TableReader& reader) {
  for (const char* key :
       {"at", "axis", "by", "features", "confidence", "holes", "false_bad", "known", "tolerance", "after"})
    reader.any(key);
}

bool is_word(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void read_experiment(TableReader& reader, Experiment& experiment, Lines& lines, Complaints& complaints) {
  experiment.after = reader.name("after").value_or("");
  if (const TomlValue* axis = reader.table("axis"))
    experiment.axes = read_axes(*axis, experiment.name, false, lines, complaints);
  if (!reader.has("axis")) reader.missing("axis", "write axis = { layers = \"1..24\" }");
  if (const auto at = reader.text_table("at")) experiment.at = *at;
  experiment.confidence = read_share(reader, "confidence", "such as 0.95").value_or(experiment.confidence);
  experiment.holes = read_holes(reader);
  experiment.false_bad = reader.boolean("false_bad").value_or(false);
  if (complaints.any())
    reader.any("known");  // its axis may be what is wrong
  else
    read_known(reader, experiment);
  if (!complaints.any()) check_axes_of_kind(experiment, reader);
  const std::string where = "experiment " + experiment.name;
  for (const char* key : {"at", "after", "axis"}) lines[where + " " + key] = reader.line(key);
}

}  // namespace

void read_experiments(TableReader& root, Campaign& campaign, Lines& lines, Complaints& complaints) {
  if (!root.has("experiment")) complaints.add(1, "", "no [[experiment]]", "add one");
  std::vector<std::string> seen;
  for (const TomlValue* table : root.tables("experiment")) {
    TableReader unnamed(*table, "[[experiment]]", complaints);
    Experiment experiment;
    experiment.name = unnamed.name("name").value_or("");
    if (!unnamed.has("name")) unnamed.missing("name");
    if (experiment.name.empty()) continue;
    const std::string where = "experiment " + experiment.name;
    TableReader reader(*table, where, complaints);
    reader.any("name");
    if (!is_word(experiment.name)) reader.complain("name", "is no word", "use letters, digits, _ and -");
    if (std::find(seen.begin(), seen.end(), experiment.name) != seen.end())
      reader.complain("name", "is there twice", "give each experiment its own name");
    seen.push_back(experiment.name);
    lines[where] = table->line;
    const auto kind = read_kind(reader);
    if (kind && in_this_version(*kind)) {
      experiment.kind = *kind;
      read_experiment(reader, experiment, lines, complaints);
    } else {
      pass_over_other_keys(reader);
      if (kind)
        reader.complain("kind", "\"" + std::string(kind_text(*kind)) +
                                    "\" is not in this version; threshold and sweep are");
    }
    reader.finish();
    campaign.experiments.push_back(std::move(experiment));
  }
}

}  // namespace brink
