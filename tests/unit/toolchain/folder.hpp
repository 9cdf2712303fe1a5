#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "harness/core/files.hpp"

namespace brink {

/// A folder of its own for one test; gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "brink-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = std::filesystem::canonical(name);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text, unsigned mode = 0644) const {
    make_folder((path_ / name).parent_path());
    write_file(path_ / name, text, mode);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace brink
