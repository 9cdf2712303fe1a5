#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/config.hpp"
#include "harness/core/files.hpp"
#include "harness/core/job.hpp"
#include "harness/toolchain/toolchain.hpp"

namespace brink {

/// One named thing that can change the outcome. A key is the digest of all of them, in order.
struct KeyPart {
  std::string name;   ///< "toolchain identity", "arguments", "program bash", "file try.sh", "directory",
                      ///< "environment A", "image", "model", "option defuse", "script", …
  std::string value;  ///< text or digest; digests of secrets only
  bool operator==(const KeyPart&) const = default;
};

/// Fills `{name}` from `values` ("in.har", "layers", "model", …); `{{` and `}}` are braces. Throws a usage
/// Error on an unknown name ("unknown placeholder {nn}; did you mean {n}?") or a brace that is not closed.
std::string fill(const std::string& text, const std::map<std::string, std::string>& values);
/// The names of the placeholders in `text`.
std::vector<std::string> placeholders(const std::string& text);

/// What a config's trial needs besides the toolchain.
struct PlanInputs {
  Config config;                      ///< parameters of the toolchain and axes: what `{name}` may stand for
  std::vector<std::string> varying;   ///< names of the axes: left out of the family
  std::string script;                 ///< text of the compile script; "" none
  std::filesystem::path model, onnx;  ///< folders; empty when not needed
  std::string model_key;              ///< digest of the spec; "" when no model
  std::vector<KeyPart> identity;      ///< "toolchain identity" and "image", from the runner
  std::filesystem::path directory;    ///< where a command runs; empty: the trial's own folder
  std::string directory_key;          ///< `directory` relative to the store's parent
  std::filesystem::path folder;       ///< trials/ID (any name when only planning)
  Limits limits;                      ///< of the campaign; stages may override
  std::map<std::string, std::string> base_environment;    ///< PATH, HOME, LANG, TMPDIR: recorded, not hashed
  std::map<std::string, std::string> passed_environment;  ///< by name from ours: hashed as digests
  std::vector<std::string> keep;                          ///< patterns of the log to keep, besides the rules'
};

struct PlannedStage {
  JobStage job;                                          ///< complete but for the container wrapping
  std::string key;                                       ///< everything that can change this stage's outcome
  std::map<std::string, std::filesystem::path> outputs;  ///< NAME → file in the trial's folder
  std::vector<std::filesystem::path> inputs;             ///< outputs of earlier stages that it reads
};

struct TrialPlan {
  std::string key;     ///< of the whole trial: the last stage's with all before it
  std::string family;  ///< the key without the varying axes: trials of one axis share it
  std::vector<KeyPart> parts;
  std::vector<PlannedStage> stages;
  std::vector<WatchedFile> watched;  ///< program and input files that were digested, as stamped then
};

/// Digests of files, remembered by stamp, so that one file is read once per runner.
class FileDigests {
 public:
  std::string digest(const std::filesystem::path& file, const FileStamp& stamp);
  /// The stamp of an argument that may be a file. What was no file when first asked about never becomes one:
  /// a file that a trial made is its output.
  std::optional<FileStamp> input(const std::filesystem::path& file);
  /// This file is known to be made by the command itself, by an earlier runner's trial.
  void note_output(const std::filesystem::path& file) { absent_.insert(file.string()); }

 private:
  std::map<std::string, std::pair<FileStamp, std::string>> known_;
  std::set<std::string> absent_;
};

/// Config → stages with keys. For a command: arguments that are regular files (resolved from `directory`),
/// and the resolved program (argv[0]), are digested into the key and watched. What follows -o, --output,
/// --out, -out or -MF is an output. A program that is not found is no error here (the supervisor reports it
/// as infrastructure); its key part says "not found". Inside a container only files that the mounts, the
/// working directory or a rootfs bring in are digested: the rest is the image's.
TrialPlan plan_trial(const Toolchain& toolchain, const PlanInputs& inputs, FileDigests& digests);

}  // namespace brink
