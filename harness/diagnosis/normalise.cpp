#include "harness/diagnosis/normalise.hpp"

#include <re2/re2.h>

#include <memory>
#include <vector>

#include "harness/core/digest.hpp"
#include "harness/core/text.hpp"

namespace brink {

namespace {

struct Replacement {
  std::shared_ptr<const RE2> pattern;
  const char* with;
  Replacement(const char* what, const char* instead) : pattern(std::make_shared<RE2>(what)), with(instead) {}
};

/// In order. What they match is told by the names in the replacements.
const std::vector<Replacement>& replacements() {
  static const auto* const kTable = new std::vector<Replacement>{
      // a.cc:1:53: or <unknown>:0:0: at the beginning: the same failure may sit elsewhere
      {R"(^(?:[^\s:]+|<[^>]+>):\d+(?::\d+)?:\s*)", ""},
      {R"(maximum recursion depth exceeded.*)", "maximum recursion depth exceeded"},
      {R"((?:/[^\s:'"<>(),/]+)*/(?:cc[A-Za-z0-9]{6}|tmp[A-Za-z0-9_]{6,10})\b)", "TMP"},
      {R"(\btmp\.[A-Za-z0-9]{6,10}\b)", "TMP"},
      {R"((?:file://)?(?:/[^\s:'"<>(),/]+)+/([^\s:'"<>(),/]+))", R"(\1)"},
      {R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)", "TIME"},
      {R"(\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)?s(?: ?\d+ms)?\b)", "TIME"},
      {R"(\b\d+h \d+m\b)", "TIME"},
      {R"(0[xX][0-9a-fA-F]+)", "HEX"},
      {R"(\b[0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]{7,}\b)", "HEX"},
      {R"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)", "N"},
      {R"(\bN(?:[x,] ?N)+)", "N"},
      {R"(\b(?:Nx)+)", "Nx"},
      {R"(N(?:\.N)+)", "N"},
      {R"([\pZ\s]+)", " "},
  };
  return *kTable;
}

/// "convN, convN, convN" becomes "convN": how long such a list is depends on the size. Quotation, commas and
/// brackets around a word do not count.
std::string without_repeats(std::string_view text) {
  std::string kept, last;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    std::string_view bare = word;
    while (!bare.empty() && std::string_view(",;'\"[](){}").find(bare.back()) != std::string_view::npos)
      bare.remove_suffix(1);
    while (!bare.empty() && std::string_view("'\"[(){}").find(bare.front()) != std::string_view::npos)
      bare.remove_prefix(1);
    if (bare.empty() || bare != last) {
      if (!kept.empty()) kept += ' ';
      kept += word;
    }
    last = bare;
    at = end + 1;
  }
  return kept;
}

/// "((((((((" as deep as the input was.
std::string without_runs(std::string_view text) {
  constexpr std::size_t kRun = 3;
  std::string kept;
  std::size_t run = 0;
  for (const char c : text) {
    run = !kept.empty() && kept.back() == c ? run + 1 : 1;
    if (run <= kRun) kept += c;
  }
  return kept;
}

}  // namespace

std::string normalise(std::string_view message) {
  std::string text(message);
  for (const Replacement& replacement : replacements())
    RE2::GlobalReplace(&text, *replacement.pattern, replacement.with);
  return without_runs(without_repeats(trim(text)));
}

std::string signature_of(std::string_view identity) { return sha256(identity).substr(0, 16); }

}  // namespace brink
