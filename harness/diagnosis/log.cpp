#include "harness/diagnosis/log.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>

#include "harness/core/files.hpp"

namespace brink {

namespace {

/// 32 MiB: what we write needs 8 at most, and a hostile header must not make us allocate more.
constexpr int kMaxWindowLog = 25;

struct FreeDecoder {
  void operator()(ZSTD_DCtx* decoder) const { ZSTD_freeDCtx(decoder); }
};

Descriptor open_log(const std::filesystem::path& log) {
  return Descriptor(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

std::filesystem::path twin_of(const std::filesystem::path& log) {
  if (log.extension() == ".zst") return std::filesystem::path(log).replace_extension();
  return log.string() + ".zst";
}

}  // namespace

struct LogReader::Source {
  Descriptor file;
  std::unique_ptr<ZSTD_DCtx, FreeDecoder> decoder;  ///< empty for a plain log
  std::string raw;                                  ///< compressed bytes
  std::size_t raw_at = 0;
  bool ended = false, peeked = false;

  bool read(std::string& bytes) {
    bytes.resize(kChunk);
    ssize_t count = 0;
    do {
      count = ::read(file.get(), bytes.data(), bytes.size());
    } while (count < 0 && errno == EINTR);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return count > 0;
  }

  /// By content, not by name: a log that was renamed still reads.
  void detect() {
    constexpr std::string_view kMagic = "\x28\xB5\x2F\xFD";
    // An empty log may still grow: whoever follows it asks again.
    peeked = read(raw);
    if (!raw.starts_with(kMagic)) return;
    decoder.reset(ZSTD_createDCtx());
    ZSTD_DCtx_setParameter(decoder.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  bool decode(std::string& bytes) {
    bytes.resize(kChunk);
    ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
    while (out.pos == 0) {
      ZSTD_inBuffer in{raw.data(), raw.size(), raw_at};
      const std::size_t result = ZSTD_decompressStream(decoder.get(), &out, &in);
      raw_at = in.pos;
      if (ZSTD_isError(result) != 0) {
        ended = true;
        break;
      }
      if (out.pos > 0 || raw_at < raw.size()) continue;
      raw_at = 0;
      if (!read(raw)) break;
    }
    bytes.resize(out.pos);
    return out.pos > 0;
  }
};

LogReader::LogReader(const std::filesystem::path& log) : source_(std::make_unique<Source>()) {
  source_->file = open_log(log);
  if (!source_->file) source_->file = open_log(twin_of(log));
}

LogReader::~LogReader() = default;

bool LogReader::next(std::string& bytes) {
  Source& source = *source_;
  bytes.clear();
  if (!source.file || source.ended) return false;
  if (!source.peeked) {
    source.detect();
    if (!source.decoder) {
      bytes.swap(source.raw);
      return !bytes.empty();
    }
  }
  return source.decoder ? source.decode(bytes) : source.read(bytes);
}

}  // namespace brink
