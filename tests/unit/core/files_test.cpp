#include "harness/core/files.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/core/digest.hpp"
#include "harness/core/error.hpp"

using namespace brink;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "brink-core.XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("files: a write replaces the whole file or nothing", "[core]") {
  const Folder folder;
  write_file(folder.path / "a", "one");
  write_file(folder.path / "a", std::string("two\0more", 8));
  CHECK(read_file(folder.path / "a") == std::string("two\0more", 8));
  CHECK_THROWS_AS(write_file(folder.path / "missing" / "a", "x"), Error);
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("files: a missing file is told from one that cannot be read", "[core]") {
  const Folder folder;
  CHECK_FALSE(read_file_if_there(folder.path / "none").has_value());
  CHECK_THROWS_AS(read_file(folder.path / "none"), Error);
  CHECK_THROWS_AS(read_file_if_there(folder.path), Error);
}

TEST_CASE("files: a lock has one holder and is free when it is closed", "[core]") {
  const Folder folder;
  const auto file = folder.path / "lock";
  CHECK_FALSE(is_locked(file));
  {
    const Descriptor first = try_lock(file);
    REQUIRE(first);
    CHECK(is_locked(file));
    CHECK_FALSE(try_lock(file));
  }
  CHECK_FALSE(is_locked(file));
  CHECK(try_lock(file));
}

TEST_CASE("files: a stamp changes with the content, and only regular files have one", "[core]") {
  const Folder folder;
  write_file(folder.path / "a", "one");
  const auto before = stamp_of(folder.path / "a");
  REQUIRE(before.has_value());
  CHECK(stamp_of(folder.path / "a") == before);
  write_file(folder.path / "a", "two");
  CHECK(stamp_of(folder.path / "a") != before);
  CHECK_FALSE(stamp_of(folder.path).has_value());
}

TEST_CASE("files: a program is looked up on the given path, or from the folder when it has a slash",
          "[core]") {
  const Folder folder;
  write_file(folder.path / "try.sh", "#!/bin/sh\n", 0755);
  write_file(folder.path / "plain", "");
  CHECK(find_program("try.sh", "/nowhere:" + folder.path.string(), "/") == folder.path / "try.sh");
  CHECK(find_program("./try.sh", "", folder.path).has_value());
  CHECK_FALSE(find_program("plain", folder.path.string(), "/").has_value());
  CHECK_FALSE(find_program("try.sh", "/nowhere", folder.path / "none").has_value());
  CHECK_FALSE(find_program("", folder.path.string(), "/").has_value());
}

TEST_CASE("digest: known values, whole and streamed", "[core]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const Folder folder;
  write_file(folder.path / "a", "abc");
  CHECK(sha256_file(folder.path / "a") == sha256("abc"));
}
