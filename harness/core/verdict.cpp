#include "harness/core/verdict.hpp"

#include "harness/core/answer.hpp"

namespace brink {

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::bad:
      return "bad";
    case Verdict::skip:
      return "skip";
  }
  return "";
}

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const Verdict verdict : {Verdict::good, Verdict::bad, Verdict::skip})
    if (text == verdict_text(verdict)) return verdict;
  return std::nullopt;
}

Target parse_target(std::string_view text) {
  const auto after = [&](std::string_view prefix) { return std::string(text.substr(prefix.size())); };
  if (text.empty() || text == "any") return {};
  if (text.starts_with("class:")) return {Target::Kind::failure_class, after("class:"), ""};
  if (text.starts_with("signature:")) return {Target::Kind::signature, after("signature:"), ""};
  if (text.starts_with("match:")) return {Target::Kind::match, after("match:"), ""};
  return {Target::Kind::match, std::string(text), ""};
}

std::string target_text(const Target& target) {
  switch (target.kind) {
    case Target::Kind::any:
      return "any";
    case Target::Kind::failure_class:
      return "class:" + target.value;
    case Target::Kind::signature:
      return "signature:" + target.value;
    case Target::Kind::match:
      return "match:" + target.value;
  }
  return "";
}

std::string_view answer_kind_text(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::none:
      return "none";
    case AnswerKind::threshold:
      return "threshold";
    case AnswerKind::nothing_fails:
      return "nothing_fails";
    case AnswerKind::everything_fails:
      return "everything_fails";
    case AnswerKind::intervals:
      return "intervals";
    case AnswerKind::only_other_failures:
      return "only_other_failures";
    case AnswerKind::bracket:
      return "bracket";
    case AnswerKind::sweep:
      return "sweep";
  }
  return "";
}

}  // namespace brink
