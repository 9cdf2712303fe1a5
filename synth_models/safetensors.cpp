#include "synth_models/safetensors.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "synth_models/folder.hpp"

namespace brink::synth {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text(1, '[');
  for (const std::uint64_t size : shape)
    text.append(text.size() == 1 ? "" : ",").append(std::to_string(size));
  return text.append(1, ']');
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

void write_tensor(const ModelSpec& spec, const Tensor& tensor, OutputFile& file) {
  const Element element = element_of(spec.dtype);
  const std::size_t width = element_bytes(element);
  std::vector<std::byte> buffer(kBufferBytes);
  for (std::uint64_t index = 0, count = tensor.count(); index < count;) {
    const std::uint64_t part = std::min<std::uint64_t>(count - index, kBufferBytes / width);
    const std::span<std::byte> bytes(buffer.data(), static_cast<std::size_t>(part) * width);
    fill(spec.seed, tensor, element, index, 1, bytes);
    file.write(bytes);
    index += part;
  }
}

void write_file(const ModelSpec& spec, const std::vector<Tensor>& tensors,
                const std::filesystem::path& path) {
  OutputFile file(path);
  const std::string header = safetensors_header(tensors, element_of(spec.dtype));
  file.write(little_endian(header.size()));
  file.write(header);
  for (const Tensor& tensor : tensors) write_tensor(spec, tensor, file);
  file.finish();
}

using Shards = std::vector<std::vector<Tensor>>;

Shards shards_of(const ModelSpec& spec) {
  const std::uint64_t width = element_bytes(element_of(spec.dtype));
  Shards shards(1);
  std::uint64_t bytes = 0;
  for (Tensor& tensor : tensors_of(spec)) {
    const std::uint64_t size = tensor.count() * width;
    if (spec.shard_bytes != 0 && !shards.back().empty() && bytes + size > spec.shard_bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += size;
    shards.back().push_back(std::move(tensor));
  }
  return shards;
}

std::string shard_name(std::size_t number, std::size_t of) {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", number, of);
  return name;
}

std::string index_text(const ModelSpec& spec, const Shards& shards) {
  std::map<std::string, std::string> map;
  std::uint64_t parameters = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const Tensor& tensor : shards[i]) {
      parameters += tensor.count();
      map[tensor.name] = shard_name(i + 1, shards.size());
    }
  }
  const std::uint64_t bytes = parameters * element_bytes(element_of(spec.dtype));
  std::string text = "{\n  \"metadata\": {\n    \"total_parameters\": " + std::to_string(parameters) +
                     ",\n    \"total_size\": " + std::to_string(bytes) + "\n  },\n  \"weight_map\": {";
  const char* separator = "\n";
  for (const auto& [name, file] : map) {
    text += separator + std::string("    \"") + name + "\": \"" + file + "\"";
    separator = ",\n";
  }
  return text + "\n  }\n}\n";
}

}  // namespace

std::string safetensors_header(const std::vector<Tensor>& tensors, Element element) {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    const std::uint64_t end = offset + tensor.count() * element_bytes(element);
    header += ",\"" + tensor.name + "\":{\"dtype\":\"" + std::string(safetensors_word(element)) +
              "\",\"shape\":" + shape_text(tensor.shape) + ",\"data_offsets\":[" + std::to_string(offset) +
              "," + std::to_string(end) + "]}";
    offset = end;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  return header;
}

void write_safetensors(const ModelSpec& spec, const std::filesystem::path& folder) {
  const Shards shards = shards_of(spec);
  if (shards.size() == 1) return write_file(spec, shards.front(), folder / "model.safetensors");
  for (std::size_t i = 0; i < shards.size(); ++i) {
    write_file(spec, shards[i], folder / shard_name(i + 1, shards.size()));
  }
  write_text(folder / "model.safetensors.index.json", index_text(spec, shards));
}

}  // namespace brink::synth
