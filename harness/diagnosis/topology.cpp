#include "harness/diagnosis/topology.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "harness/core/text.hpp"
#include "harness/diagnosis/normalise.hpp"

namespace brink {

namespace {

constexpr int kPerLayer = 5;
constexpr std::array<std::string_view, kPerLayer> kAdditions{"q rope add", "k rope add", "mask add",
                                                             "attention residual", "mlp residual"};
constexpr std::array<std::string_view, kPerLayer> kMultiplications{"q cos", "k cos", "q sin", "k sin",
                                                                   "swiglu"};

struct Operation {
  int layer = 0;
  std::string_view kind, role;
};

/// "ew_add8" → layer 1, mask add. nullopt for every other name.
std::optional<Operation> operation_of(std::string_view name) {
  const bool addition = name.starts_with("ew_add");
  if (!addition && !name.starts_with("ew_mult")) return std::nullopt;
  const std::string_view kind = name.substr(0, addition ? 6 : 7);
  const std::string_view digits = name.substr(kind.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 1) return std::nullopt;
  const auto index = static_cast<std::size_t>((number - 1) % kPerLayer);
  return Operation{(number - 1) / kPerLayer, kind, addition ? kAdditions[index] : kMultiplications[index]};
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "layer 0", "layers 0 and 1", "layers 0 to 5", "layers 0, 3 and 7".
std::string layers_text(const std::set<int>& layers) {
  const int first = *layers.begin(), last = *layers.rbegin();
  if (layers.size() == 1) return fmt::format("layer {}", first);
  if (layers.size() == 2) return fmt::format("layers {} and {}", first, last);
  if (last - first == static_cast<int>(layers.size()) - 1) return fmt::format("layers {} to {}", first, last);
  constexpr std::size_t kMany = 6;
  if (layers.size() > kMany) return fmt::format("{} layers from {} to {}", layers.size(), first, last);
  std::vector<std::string> parts;
  for (const int layer : layers)
    if (layer != last) parts.push_back(std::to_string(layer));
  return fmt::format("layers {} and {}", join(parts, ", "), last);
}

std::string field(const Row& row, const std::string& name) {
  const auto found = row.find(name);
  return found == row.end() ? "" : found->second;
}

}  // namespace

ScopedName scoped_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"", std::string(text)};
  const std::string_view scope = text.substr(0, slash);
  const std::size_t mark = scope.rfind("__");
  const std::string_view group = mark == std::string_view::npos ? scope : scope.substr(mark + 2);
  return {std::string(group), std::string(text.substr(slash + 1))};
}

std::string identity_of_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos && !operation_of(text)) return normalise(text);
  const ScopedName scoped = scoped_name(text);
  // A scope without a group is the model's name alone.
  const bool grouped = text.substr(0, std::min(slash, text.size())).find("__") != std::string_view::npos;
  const std::string group = grouped ? scoped.group + "/" : "";
  if (const auto operation = operation_of(scoped.name))
    return fmt::format("{}{}:{}", group, operation->kind, operation->role);
  return group + (scoped.name.starts_with("input_layer") ? scoped.name : normalise(scoped.name));
}

bool are_conflicts(const std::vector<Row>& rows) {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.contains("node") && row.contains("bucket") && row.contains("successor") &&
           row.contains("successor_bucket");
  });
}

std::vector<Conflict> conflicts_of(const std::vector<Row>& rows) {
  std::vector<Conflict> conflicts;
  for (const Row& row : rows) {
    const ScopedName node = scoped_name(field(row, "node")), successor = scoped_name(field(row, "successor"));
    Conflict conflict{node.group.empty() ? successor.group : node.group,
                      node.name,
                      field(row, "bucket"),
                      successor.name,
                      field(row, "successor_bucket"),
                      std::nullopt,
                      ""};
    auto operation = operation_of(successor.name);
    if (!operation) operation = operation_of(node.name);
    if (operation) {
      conflict.layer = operation->layer;
      conflict.role = operation->role;
    }
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

std::string topology_cause(const std::vector<Conflict>& conflicts) {
  std::set<std::string> nodes;
  std::set<int> layers;
  bool inputs = true;
  for (const Conflict& conflict : conflicts) {
    nodes.insert(conflict.node);
    inputs = inputs && conflict.node.starts_with("input_layer");
    if (conflict.layer) layers.insert(*conflict.layer);
  }
  std::vector<std::string> parts{counted(nodes.size(), inputs ? "shared input" : "node")};
  if (!layers.empty()) parts.push_back(layers_text(layers));
  parts.push_back(counted(conflicts.size(), "conflict"));
  return "context-partition topology: " + join(parts, ", ");
}

}  // namespace brink
