#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "harness/toolchain/toolchain.hpp"
#include "tests/unit/diagnosis/made.hpp"

using namespace brink;
using namespace brink::test;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Lines of `line_bytes` with NULs, escapes and bytes that are not UTF-8, and one topology error in the
/// middle.
void write_hostile(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t line_bytes) {
  std::ofstream out(file, std::ios::binary);
  const std::string noise = std::string("noise \0 \x1b[31m \xff \r", 18) + std::string(46, 'x');
  std::uint64_t written = 0, line = 0;
  bool told = false;
  while (written < bytes) {
    if (!told && written > bytes / 2) {
      out << "\n[error] Context-Partition topology error: S__tbt/input_layer2 (bucket_1) is in later context "
             "than its "
             "successor S__tbt/ew_add3 (bucket_0).\n";
      told = true;
    }
    out << noise;
    written += noise.size();
    line += noise.size();
    if (line >= line_bytes) {
      out << '\n';
      line = 0;
    }
  }
}

void check_hostile(std::uint64_t bytes, std::uint64_t line_bytes) {
  const Folder folder;
  write_hostile(folder.path / "log", bytes, line_bytes);
  const Toolchain dfc = load_toolchain(std::filesystem::path(BRINK_TOOLCHAINS) / "dfc.toml", {});
  [[maybe_unused]] const std::uint64_t before = peak_bytes();
  const Diagnosis diagnosis = diagnose(dfc.rules, exited(1), folder.path / "log");
  CHECK(diagnosis.failure.value().failure_class == "topology");
  CHECK(diagnosis.failure->conflicts.size() == 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(peak_bytes() - before < 64 * kMiB);
#endif
}

}  // namespace

TEST_CASE("hostile: a long log with long lines is read in constant memory and the error inside is found",
          "[diagnosis]") {
  check_hostile(48 * kMiB, 20 * kMiB);
}

TEST_CASE("hostile: one GiB with lines of 100 MB", "[diagnosis][.slow]") {
  check_hostile(1024 * kMiB, 100 * kMiB);
}

TEST_CASE("hostile: random bytes break nothing and give text that is safe", "[diagnosis]") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(0, 255), size(0, 4000);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int left = size(random); left > 0; --left) text += static_cast<char>(byte(random));
    if (round % 3 == 0) text.insert(text.size() / 2, "\nerror: \x1b[31m bad \xff thing\n");
    const Diagnosis diagnosis = read(text, exited(1));
    REQUIRE(diagnosis.failure.has_value());
    for (const char c : diagnosis.failure->message)
      CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    CHECK(diagnosis.failure->excerpt.size() <= 8192);
    CHECK(diagnosis.failure->signature.size() == 16);
  }
}

TEST_CASE("hostile: redraws, colours and glued progress bars do not hide an error", "[diagnosis]") {
  const std::string bars = "\rcompiling:  10%|# |\rcompiling:  50%|## |\rcompiling: 100%|###|";
  const auto signature = [](const std::string& text) {
    return read(text, exited(1)).failure.value().signature;
  };
  CHECK(signature(bars + "\n\x1b[0;31merror:\x1b[0m too deep\n") == signature("error: too deep\n"));
  CHECK(read(bars + "error: too deep\n", exited(1)).failure.value().message.find("too deep") !=
        std::string::npos);
  CHECK(read("[?25lerror: too deep[?25h\n", exited(1)).failure.value().message.find("too deep") !=
        std::string::npos);
}
