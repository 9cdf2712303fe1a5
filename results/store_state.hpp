#pragma once

#include "results/sqlite.hpp"
#include "results/store.hpp"

namespace brink {

/// What is behind a Store.
struct Store::State {
  std::filesystem::path folder;
  std::unique_ptr<Database> database;
};

}  // namespace brink
