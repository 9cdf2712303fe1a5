#include "harness/toolchain/file_inputs.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/core/digest.hpp"
#include "harness/core/error.hpp"

namespace brink {

namespace {

/// What a shell falls back to; used inside a throwaway root, which gets no PATH of ours.
constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The argument after one of these is written, not read: it must neither change the key once it exists nor
/// count as an input that changed under the trial.
bool announces_output(const std::string& argument) {
  constexpr std::array<std::string_view, 5> kFlags{"-o", "--output", "--out", "-out", "-MF"};
  return std::find(kFlags.begin(), kFlags.end(), argument) != kFlags.end();
}

WatchedFile watch(const std::filesystem::path& file, const FileStamp& stamp) {
  return {file, stamp.device, stamp.inode, stamp.size, stamp.mtime_ns};
}

/// A program may be executable without being readable: then its stamp has to do.
std::string digest_or_stamp(const std::filesystem::path& file, const FileStamp& stamp, FileDigests& digests) {
  try {
    return digests.digest(file, stamp);
  } catch (const Error&) {
    return "unreadable, " + std::to_string(stamp.size) + " bytes of " + std::to_string(stamp.mtime_ns);
  }
}

/// SRC, DST of "SRC:DST[:ro]".
std::pair<std::string, std::string> ends_of_mount(const std::string& mount,
                                                  const std::filesystem::path& toolchain) {
  const std::string filled = fill(mount, {{"toolchain", toolchain.string()}});
  const std::size_t colon = filled.find(':');
  if (colon == std::string::npos) return {filled, filled};
  const std::size_t end = filled.find(':', colon + 1);
  return {filled.substr(0, colon),
          filled.substr(colon + 1, end == std::string::npos ? end : end - colon - 1)};
}

std::optional<std::filesystem::path> below(const std::filesystem::path& file,
                                           const std::filesystem::path& folder) {
  const std::filesystem::path rest = file.lexically_relative(folder);
  if (rest.empty() || *rest.begin() == "..") return std::nullopt;
  return rest;
}

}  // namespace

std::string FileDigests::digest(const std::filesystem::path& file, const FileStamp& stamp) {
  auto& [known_stamp, known_digest] = known_[file.string()];
  if (known_digest.empty() || !(known_stamp == stamp)) {
    known_digest = sha256_file(file);
    known_stamp = stamp;
  }
  return known_digest;
}

std::optional<FileStamp> FileDigests::input(const std::filesystem::path& file) {
  if (absent_.contains(file.string())) return std::nullopt;
  const auto stamp = stamp_of(file);
  if (!stamp && !known_.contains(file.string())) absent_.insert(file.string());
  return stamp;
}

std::optional<std::filesystem::path> FileView::file(const std::string& argument) const {
  if (argument.empty() || argument.size() > 4096 || argument.find('\0') != std::string::npos)
    return std::nullopt;
  const std::filesystem::path inside = (directory / argument).lexically_normal();
  if (container == nullptr) return inside;
  for (const std::string& mount : container->mounts) {
    const auto [source, target] = ends_of_mount(mount, toolchain);
    if (const auto rest = below(inside, target)) return (source / *rest).lexically_normal();
  }
  if (below(inside, directory)) return inside;
  if (!container->rootfs.empty()) return container->rootfs / inside.relative_path();
  return std::nullopt;
}

std::optional<std::filesystem::path> FileView::program(const std::string& name) const {
  if (container == nullptr) return find_program(name, path_list, directory);
  if (name.find('/') != std::string::npos) {
    const auto there = file(name);
    return there && stamp_of(*there) ? there : std::nullopt;
  }
  if (container->rootfs.empty()) return std::nullopt;
  // Folders of PATH become relative to the root, so that they are looked up inside it.
  std::string relative;
  const std::string path = path_list.empty() ? std::string(kDefaultPath) : path_list;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] != '/' || (i > 0 && path[i - 1] != ':')) relative += path[i];
  return find_program(name, relative, container->rootfs);
}

bool FileView::program_is_in_image(const std::string& name) const {
  if (container == nullptr || !container->rootfs.empty()) return false;
  return name.find('/') == std::string::npos || !file(name);
}

FileParts file_parts(const std::vector<std::string>& argv, const std::vector<std::string>& shown,
                     const std::vector<bool>& inputs, const FileView& view, FileDigests& digests) {
  FileParts result;
  if (argv.empty()) return result;
  const auto program = view.program(argv[0]);
  if (const auto stamp = program ? stamp_of(*program) : std::nullopt) {
    result.parts.push_back({"program " + shown[0], digest_or_stamp(*program, *stamp, digests)});
    result.watched.push_back(watch(*program, *stamp));
  } else if (!view.program_is_in_image(argv[0])) {
    result.parts.push_back({"program " + shown[0], "not found"});
  }
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (!inputs[i] || announces_output(argv[i - 1])) continue;
    const auto file = view.file(argv[i]);
    const auto stamp = file ? digests.input(*file) : std::nullopt;
    if (!stamp) continue;
    result.parts.push_back({"file " + shown[i], digest_or_stamp(*file, *stamp, digests)});
    result.watched.push_back(watch(*file, *stamp));
  }
  return result;
}

}  // namespace brink
