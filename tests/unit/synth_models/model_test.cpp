#include "synth_models/model.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/core/digest.hpp"
#include "synth_models/checkpoint.hpp"
#include "synth_models/safetensors.hpp"
#include "synth_models/tokenizer.hpp"

namespace brink::synth {
namespace {

namespace fs = std::filesystem;

/// A folder for one test, gone afterwards.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "brink-synth-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  fs::path path_;
};

using Names = std::vector<std::string>;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream.good());
  return {std::istreambuf_iterator<char>(stream), {}};
}

Names files_in(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// One digest over names and bytes of everything in a folder.
std::string digest_of(const fs::path& folder) {
  std::string all;
  for (const std::string& name : files_in(folder))
    all += name + "\n" + sha256(contents(folder / name)) + "\n";
  return sha256(all).substr(0, 16);
}

/// The spec of words such as "layers=4".
ModelSpec spec_of(const std::vector<std::string>& words) {
  std::map<std::string, std::string> fields;
  for (const std::string& word : words)
    fields[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return spec_from_fields(fields);
}

TEST_CASE("model: golden digests of small models", "[model]") {
  struct Golden {
    std::vector<std::string> words;
    const char* digest;
  };
  const std::vector<Golden> table = {
      {{"family=llama", "seed=1"}, "d0a009557d23dce5"},
      {{"family=llama", "tied=true", "dtype=bf16", "heads=8", "nrep=1"}, "43866123f91b917f"},
      {{"family=qwen2", "hidden=112", "heads=14", "nrep=7", "layers=2"}, "1879f7210dba79c7"},
      {{"family=qwen2", "tied=true", "dtype=bf16"}, "dfdb276e3c64ff17"},
      {{"family=llama", "dtype=f16", "shard_bytes=100000", "vocab=258"}, "12f2ab6cb0d34286"},
  };
  const Scratch scratch;
  for (const Golden& row : table) {
    CAPTURE(row.words);
    write_model(spec_of(row.words), scratch / row.digest, GraphStyle::dfc);
    CHECK(digest_of(scratch / row.digest) == row.digest);
  }
}

TEST_CASE("model: the folder holds what consumers look for", "[model]") {
  const Scratch scratch;
  CHECK(write_model(spec_of({}), scratch / "plain", GraphStyle::none).empty());
  CHECK(files_in(scratch / "plain") == Names{"README.md", "config.json", "generation_config.json",
                                             "model.safetensors", "tokenizer.json", "tokenizer_config.json"});
  write_model(spec_of({}), scratch / "graph", GraphStyle::dfc);
  CHECK(fs::is_regular_file(scratch / "graph" / "onnx" / "model.onnx"));
  CHECK(scratch.names() == Names{"graph", "plain"});
  CHECK(contents(scratch / "graph" / "README.md").find(spec_to_json(spec_of({}))) != std::string::npos);
}

TEST_CASE("model: a vocabulary too small for a tokenizer has one warning and no tokenizer", "[model]") {
  const Scratch scratch;
  CHECK(write_model(spec_of({"vocab=257"}), scratch / "small", GraphStyle::none).size() == 1);
  CHECK_FALSE(fs::exists(scratch / "small" / "tokenizer.json"));
  CHECK_FALSE(fs::exists(scratch / "small" / "tokenizer_config.json"));
  CHECK(write_model(spec_of({"vocab=258"}), scratch / "enough", GraphStyle::none).empty());
  CHECK(fs::exists(scratch / "enough" / "tokenizer.json"));
}

TEST_CASE("model: special tokens stay below the vocabulary", "[model]") {
  for (const std::uint64_t vocab : {1UL, 2UL, 3UL, 4UL, 257UL, 258UL, 259UL, 260UL}) {
    ModelSpec spec;
    spec.vocab = vocab;
    const SpecialTokens special = special_tokens(spec);
    CHECK(std::max({special.bos, special.eos, special.pad}) < vocab);
  }
}

TEST_CASE("model: a place that is taken is left alone", "[model]") {
  const Scratch scratch;
  fs::create_directory(scratch / "full");
  std::ofstream(scratch / "full" / "mine.txt") << "mine";
  CHECK_THROWS_AS(write_model(spec_of({}), scratch / "full", GraphStyle::none), std::system_error);
  CHECK_THROWS_AS(write_model(spec_of({}), scratch / "full", GraphStyle::none, Existing::replace),
                  std::system_error);
  std::ofstream(scratch / "file") << "mine";
  CHECK_THROWS_AS(write_model(spec_of({}), scratch / "file", GraphStyle::none, Existing::replace),
                  std::system_error);
  CHECK(contents(scratch / "full" / "mine.txt") == "mine");
  CHECK(scratch.names() == Names{"file", "full"});
}

TEST_CASE("model: replaces what brink wrote, unless somebody added to it", "[model]") {
  const Scratch scratch;
  write_model(spec_of({"seed=1"}), scratch / "m", GraphStyle::dfc);
  CHECK_THROWS_AS(write_model(spec_of({"seed=2"}), scratch / "m", GraphStyle::none), std::system_error);
  CHECK(is_ours(scratch / "m"));
  write_model(spec_of({"seed=2"}), scratch / "m", GraphStyle::none, Existing::replace);
  CHECK(contents(scratch / "m" / "config.json").find("\"brink_seed\": 2") != std::string::npos);
  CHECK_FALSE(fs::exists(scratch / "m" / "onnx"));
  CHECK(scratch.names() == Names{"m"});
  std::ofstream(scratch / "m" / "notes.txt") << "mine";
  CHECK_FALSE(is_ours(scratch / "m"));
  CHECK_THROWS_AS(write_model(spec_of({}), scratch / "m", GraphStyle::none, Existing::replace),
                  std::system_error);
}

TEST_CASE("model: files added below onnx are not brink's to remove", "[model]") {
  const Scratch scratch;
  write_model(spec_of({}), scratch / "m", GraphStyle::dfc);
  std::ofstream(scratch / "m" / "onnx" / "compiled.hef") << "mine";
  CHECK_FALSE(is_ours(scratch / "m"));
}

TEST_CASE("model: fills an empty folder, makes parents, and takes a trailing slash", "[model]") {
  const Scratch scratch;
  fs::create_directory(scratch / "empty");
  write_model(spec_of({}), scratch / "empty", GraphStyle::none);
  CHECK(fs::exists(scratch / "empty" / "config.json"));
  write_model(spec_of({}), scratch / "a/b/c/", GraphStyle::none);
  CHECK(fs::exists(scratch / "a/b/c/config.json"));
}

/// While it lives no file may grow beyond `bytes`: what a full disk does to a writer.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_) == 0);
    const rlimit small{bytes, old_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

/// Whether writing fails when no file may be larger than `bytes`.
bool fails_with_files_of(rlim_t bytes, const fs::path& folder, Existing existing) {
  const SmallFiles small(bytes);
  try {
    write_model(spec_of({"seed=2"}), folder, GraphStyle::dfc, existing);
  } catch (const std::system_error&) {
    return true;
  }
  return false;
}

TEST_CASE("model: a failure in the middle leaves nothing, or what was there", "[model]") {
  const Scratch scratch;
  write_model(spec_of({"seed=1"}), scratch / "old", GraphStyle::dfc);
  const std::string before = digest_of(scratch / "old");
  // Fails at once, in the tokenizer, in the weights.
  for (const rlim_t bytes : {0UL, 2000UL, 100000UL}) {
    CHECK(fails_with_files_of(bytes, scratch / "new", Existing::refuse));
    CHECK(fails_with_files_of(bytes, scratch / "old", Existing::replace));
  }
  CHECK(scratch.names() == Names{"old"});
  CHECK(digest_of(scratch / "old") == before);
}

TEST_CASE("model: a shape larger than the disk is refused before a byte is written", "[model]") {
  const Scratch scratch;
  const ModelSpec spec =
      spec_of({"hidden=65536", "heads=512", "nrep=1", "intermediate=262144", "layers=1000"});
  CHECK_THROWS_WITH(write_model(spec, scratch / "huge", GraphStyle::none), Catch::Contains("bytes"));
  CHECK(scratch.names().empty());
}

TEST_CASE("model: shards hold the same tensors as one file", "[model]") {
  const Scratch scratch;
  write_model(spec_of({}), scratch / "one", GraphStyle::none);
  write_model(spec_of({"shard_bytes=200000"}), scratch / "many", GraphStyle::none);
  const std::string whole = contents(scratch / "one" / "model.safetensors");
  std::string joined;
  int shards = 0;
  for (const std::string& name : files_in(scratch / "many")) {
    if (name.find(".safetensors") == std::string::npos || name.find("index") != std::string::npos) continue;
    const std::string shard = contents(scratch / "many" / name.c_str());
    std::uint64_t header = 0;
    std::copy_n(shard.begin(), 8, reinterpret_cast<char*>(&header));
    joined += shard.substr(8 + header);
    ++shards;
  }
  CHECK(shards > 2);
  CHECK(whole.size() - joined.size() == 8 + safetensors_header(tensors_of(spec_of({})), Element::f32).size());
  CHECK(whole.compare(whole.size() - joined.size(), joined.size(), joined) == 0);
  CHECK_FALSE(fs::exists(scratch / "many" / "model.safetensors"));
}

TEST_CASE("checkpoint: floats look like floats in the config", "[checkpoint]") {
  const std::string config = config_json(spec_of({"rope_theta=1000000", "norm_eps=1e-5"}));
  CHECK(config.find("\"rope_theta\": 1e+06,") != std::string::npos);
  CHECK(config.find("\"rms_norm_eps\": 1e-05,") != std::string::npos);
  CHECK(config_json(spec_of({"rope_theta=10000"})).find("\"rope_theta\": 10000.0,") != std::string::npos);
}

}  // namespace
}  // namespace brink::synth
