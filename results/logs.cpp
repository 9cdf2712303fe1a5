#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "results/store.hpp"

namespace brink {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmallLogBytes = 16 << 10;
constexpr std::size_t kPieceBytes = 64 << 10;

Error log_error(const std::string& what, const fs::path& file) {
  return infrastructure_error(what, for_terminal(file.string()));
}

std::size_t read_piece(const Descriptor& fd, char* into, std::size_t most, const fs::path& file) {
  for (;;) {
    const ssize_t got = ::read(fd.get(), into, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw log_error(std::string("cannot be read: ") + std::strerror(errno), file);
  }
}

void write_piece(const Descriptor& fd, std::string_view bytes, const fs::path& file) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd.get(), bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR)
      throw log_error(std::string("cannot be written: ") + std::strerror(errno), file);
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::size_t checked(std::size_t code, const fs::path& file) {
  if (ZSTD_isError(code) != 0) throw log_error(std::string("zstd: ") + ZSTD_getErrorName(code), file);
  return code;
}

struct Compressor {
  ZSTD_CCtx* stream = ZSTD_createCCtx();
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(stream); }
};

/// The whole of `plain` as one checked frame in `packed`, on the disk when this returns.
void compress(const fs::path& plain, const fs::path& packed) {
  const Descriptor in(::open(plain.c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor out(::open(packed.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!in || !out)
    throw log_error(std::string("cannot be compressed: ") + std::strerror(errno), in ? packed : plain);
  const Compressor compressor;
  checked(ZSTD_CCtx_setParameter(compressor.stream, ZSTD_c_checksumFlag, 1), packed);
  std::string from(kPieceBytes, '\0'), to(ZSTD_CStreamOutSize(), '\0');
  for (bool last = false; !last;) {
    const std::size_t got = read_piece(in, from.data(), from.size(), plain);
    last = got == 0;
    ZSTD_inBuffer input{from.data(), got, 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer output{to.data(), to.size(), 0};
      const std::size_t left = checked(
          ZSTD_compressStream2(compressor.stream, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue),
          packed);
      write_piece(out, std::string_view(to).substr(0, output.pos), packed);
      more = last ? left != 0 : input.pos < input.size;
    }
  }
  if (::fsync(out.get()) != 0)
    throw log_error(std::string("cannot be written: ") + std::strerror(errno), packed);
}

}  // namespace

void Store::compress_log(RowId trial) const {
  const fs::path plain = trial_folder(trial) / "log", packed = trial_folder(trial) / "log.zst";
  struct stat status {};
  if (::lstat(plain.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (static_cast<std::uint64_t>(status.st_size) < kSmallLogBytes) return;
  const fs::path half = packed.string() + ".half";
  try {
    compress(plain, half);
    fs::rename(half, packed);
  } catch (...) {
    ::unlink(half.c_str());
    throw;
  }
  ::unlink(plain.c_str());
}

}  // namespace brink
