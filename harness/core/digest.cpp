#include "harness/core/digest.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace brink {

struct Sha256::State {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  State() { EVP_DigestInit_ex(digest, EVP_sha256(), nullptr); }
  ~State() { EVP_MD_CTX_free(digest); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(state_->digest, bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->digest, bytes.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

std::string sha256_file(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw infrastructure_error(std::string("cannot be read: ") + std::strerror(errno), file.string());
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw infrastructure_error(std::string("cannot be read: ") + std::strerror(errno), file.string());
    if (got == 0) return digest.hex();
    digest.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace brink
