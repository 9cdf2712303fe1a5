#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/store.hpp"

namespace brink {

namespace {

namespace fs = std::filesystem;

/// Somebody else's folder above ours must not choose what we run: both the link and what it points to are
/// ours.
void refuse_foreign(const fs::path& folder) {
  struct stat link {
  }, target{};
  const bool ours = ::lstat(folder.c_str(), &link) == 0 && ::stat(folder.c_str(), &target) == 0 &&
                    link.st_uid == ::geteuid() && target.st_uid == ::geteuid();
  if (!ours)
    throw Error(Exit::infrastructure, "store", "the nearest store belongs to somebody else",
                for_terminal(folder.string()), "use --store DIR to choose one");
}

bool on_same_mount(const fs::path& one, const fs::path& other) {
  struct stat a {
  }, b{};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev;
}

}  // namespace

fs::path find_store(const std::optional<fs::path>& asked, const fs::path& here) {
  if (asked) return fs::absolute(*asked).lexically_normal();
  if (const char* named = std::getenv("BRINK_STORE"); named != nullptr && *named != '\0')
    return fs::absolute(named).lexically_normal();
  const fs::path start = fs::absolute(here).lexically_normal();
  const char* home = std::getenv("HOME");
  for (fs::path folder = start;; folder = folder.parent_path()) {
    struct stat status {};
    if (const fs::path store = folder / ".brink"; ::lstat(store.c_str(), &status) == 0) {
      refuse_foreign(store);
      return store;
    }
    const bool at_home = home != nullptr && *home != '\0' && folder == fs::path(home).lexically_normal();
    if (at_home || folder == folder.parent_path() || !on_same_mount(folder, folder.parent_path())) break;
  }
  return start / ".brink";
}

}  // namespace brink
