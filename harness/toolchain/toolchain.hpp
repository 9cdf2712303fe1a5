#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/container.hpp"
#include "harness/core/job.hpp"
#include "harness/core/number.hpp"
#include "harness/diagnosis/rules.hpp"

namespace brink {

/// A parameter that a toolchain declares ([parameters]); campaigns set it in [options] or as an axis.
struct Parameter {
  enum class Type { string, integer, boolean };
  std::string name;
  Type type = Type::string;
  std::optional<std::string> fallback;  ///< `default`, as text
  std::vector<std::string> one_of;
  std::optional<Int> min, max;
  bool operator==(const Parameter&) const = default;
};

/// What may be set for a stage, and overrides the campaign's or the default.
struct LimitChoice {
  std::optional<std::chrono::milliseconds> wall, idle, grace;
  std::optional<std::uint64_t> memory_bytes;
  bool operator==(const LimitChoice&) const = default;
};

struct Resources {
  int cpus = 1, gpus = 0;
  std::uint64_t memory_bytes = 0;
  bool operator==(const Resources&) const = default;
};

/// One step of the pipeline, with placeholders not yet filled in.
struct Stage {
  std::string name;
  std::vector<std::string> argv;
  std::map<std::string, std::string> inputs;   ///< {in.NAME} → an output file name of an earlier stage
  std::map<std::string, std::string> outputs;  ///< {out.NAME} → file name
  std::vector<std::string>
      depends;  ///< parameters (and "script") that can change its outcome, besides the model
  std::map<std::string, std::string> environment;
  LimitChoice limits;
  Resources resources;
  bool operator==(const Stage&) const = default;
};

/// A compiler as data: identity, stages, limits, rules. A new compiler is a new file.
struct Toolchain {
  std::string name;
  std::filesystem::path folder;  ///< {toolchain}: of the file that it was read from (with `base`: of the
                                 ///< base, where its drivers lie); empty for commands
  std::vector<std::vector<std::string>> identity;  ///< commands, run where the stages run
  std::set<std::string> needs;                     ///< of "model", "onnx"
  std::vector<Parameter> parameters;
  std::optional<ContainerOptions> container;
  std::map<std::string, std::string> environment;  ///< of every stage, besides the base environment
  std::vector<std::string> pass_environment;       ///< names passed through from ours; values never stored
  std::vector<Stage> stages;
  Rules rules;
  std::vector<EarlyPattern> early;
  bool operator==(const Toolchain&) const = default;
};

/// Reads a toolchain file, following `[toolchain] base = "NAME"` (the base's tables, overridden by this
/// file's; `[container] none = true` removes the base's). Every complaint is an Error with FILE:LINE.
/// `folders` is where a base is looked for.
Toolchain load_toolchain(const std::filesystem::path& file,
                         const std::vector<std::filesystem::path>& folders);

/// The toolchain of a one-liner: one stage called "run", placeholders `{axis}` in argv.
Toolchain command_toolchain(std::vector<std::string> argv,
                            const std::vector<std::string>& identity_shell_commands);

/// Splits "g++ --version" into an argument vector: blanks, '…', "…" and \ as in a shell, nothing else. Throws
/// a usage Error on a quote that is not closed or an empty command.
std::vector<std::string> split_command(const std::string& text);

/// For one-liners: throws a usage Error on a placeholder (in an argument or a value of the environment) that
/// no axis fills, and on an axis that no argument uses.
void check_axes_used(const Toolchain& toolchain, const std::vector<std::string>& axes);

/// The environment of identity commands: what the toolchain sets for every stage, but for values that depend
/// on the config (`--env SIZE={n}`), which an identity cannot have.
std::map<std::string, std::string> identity_environment(const Toolchain& toolchain);

/// The output that an entry of Stage::inputs names: "FILE" or "STAGE.NAME" of a stage before `reader`, the
/// nearest first. nullopt when there is none.
struct Producer {
  std::size_t stage = 0;
  std::string output;  ///< NAME of Stage::outputs
  bool operator==(const Producer&) const = default;
};
std::optional<Producer> producer_of(const std::vector<Stage>& stages, std::size_t reader,
                                    const std::string& reference);

/// NAME.toml in the first of the folders that has it; Error with did-you-mean over all of them otherwise.
std::filesystem::path find_toolchain(const std::string& name,
                                     const std::vector<std::filesystem::path>& folders);

}  // namespace brink
