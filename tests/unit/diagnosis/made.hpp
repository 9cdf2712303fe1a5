#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "harness/core/files.hpp"
#include "harness/core/outcome.hpp"
#include "harness/diagnosis/diagnose.hpp"

namespace brink::test {

/// A folder of the test's own, removed with it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "brink-diagnosis.XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& text) const {
    write_file(path / "log", text);
    return path / "log";
  }
};

/// One stage that ended with an exit code.
inline Outcome exited(int code, const std::string& stage = "compile") {
  Outcome outcome;
  StageOutcome one;
  one.name = stage;
  one.exit_code = code;
  outcome.stages = {one};
  return outcome;
}

inline Diagnosis read(const std::string& text, const Outcome& outcome, const Rules& rules = {}) {
  const Folder folder;
  return diagnose(rules, outcome, folder.write(text));
}

}  // namespace brink::test
