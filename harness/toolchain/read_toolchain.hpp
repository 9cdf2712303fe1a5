#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/toolchain/complaints.hpp"
#include "harness/toolchain/table_reader.hpp"
#include "harness/toolchain/toolchain.hpp"

namespace brink {

/// Lines by what stands there: "stage compile argv", "parameter arch".
using Lines = std::map<std::string, int>;

/// What the tables are laid over: the toolchain that [toolchain] `base` names, or an empty one in the folder
/// of `file`. Throws what load_toolchain throws for the base.
Toolchain starting_toolchain(TableReader& head, const std::filesystem::path& file,
                             const std::vector<std::filesystem::path>& folders);

/// Lays the tables of a toolchain file ([toolchain], [parameters], [environment], [container], [[stage]],
/// [[rule]], [[early]], [[recoverable]]) over `toolchain`: what is written replaces, key by key; new rules
/// and patterns come before the inherited ones. The caller reads name through `head` and finishes both
/// readers.
void read_toolchain(TableReader& root, TableReader& head, Toolchain& toolchain, Lines& lines,
                    Complaints& complaints);

/// [parameters] alone.
void read_parameters(TableReader& root, Toolchain& toolchain, Lines& lines, Complaints& complaints);
/// [[stage]] alone.
void read_stages(TableReader& root, Toolchain& toolchain, Lines& lines, Complaints& complaints);
/// [[rule]], [[early]], [[recoverable]].
void read_rules(TableReader& root, Toolchain& toolchain, Complaints& complaints);

/// `limits`, with the keys wall, idle, grace and memory.
LimitChoice read_limits(const TomlValue& table, const std::string& where, Complaints& complaints);

/// What only the whole can tell: inputs without an output, placeholders that nothing can fill, parameters
/// that are not declared. `lines` has those of the file; what was inherited is blamed on line 1.
void check_toolchain(const Toolchain& toolchain, const Lines& lines, Complaints& complaints);

/// Why `value` is none for the parameter ("9 is greater than 3"); nullopt when it is one.
std::optional<std::string> parameter_problem(const Parameter& parameter, const std::string& value);

/// Whether the name stands for something of ours in a toolchain: model, onnx, script, toolchain, dir.
bool is_reserved(const std::string& name);

/// Names of placeholders in the stage's arguments and environment, once each.
std::vector<std::string> placeholders_of(const Stage& stage);

}  // namespace brink
