#include "harness/cli/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "harness/core/quantity.hpp"
#include "harness/core/text.hpp"

namespace brink::cli {

namespace {

constexpr std::chrono::milliseconds kRedraw{150};

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80U;
}

/// "n: 250 good … 500 bad".
std::string bracket_text(const Inquiry& inquiry) {
  const Answer answer = inquiry.search().answer();
  if (answer.kind == AnswerKind::sweep) {
    std::size_t done = 0;
    for (const SweepPoint& point : answer.points) done += point.verdict.has_value() ? 1U : 0U;
    return fmt::format("{}: {} of {}", inquiry.experiment().name, done, answer.points.size());
  }
  return fmt::format("{}: {} good … {} bad", answer.axis, answer.last_good.value_or("?"),
                     answer.first_bad.value_or("?"));
}

std::string verdict_line(const Event& event) {
  const Evidence& evidence = *event.evidence;
  std::string text = event.config + " ";
  text += evidence.judgement.evidence ? std::string(verdict_text(evidence.judgement.verdict)) : "no evidence";
  text += event.kind == Event::Kind::reused ? " (stored)" : " in " + duration_text(event.wall_s);
  if (evidence.diagnosis.failure)
    text += "  " + evidence.diagnosis.failure->failure_class + ": " + evidence.diagnosis.failure->message;
  return text;
}

}  // namespace

Progress::Progress(Style style)
    : silent_(style == Style::silent),
      live_(::isatty(STDERR_FILENO) == 1 && std::getenv("TERM") != nullptr) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::line(const std::string& text) {
  clear();
  std::fputs((shorten(for_terminal(text), live_ ? terminal_width() - 1 : 400) + "\n").c_str(), stderr);
}

void Progress::redraw(const Runner& runner) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - last_draw_ < kRedraw) return;
  last_draw_ = now;
  std::string text = bracket_;
  for (const auto& trial : runner.underway())
    text += fmt::format("  [{} {}]", trial.config, duration_text(trial.seconds));
  clear();
  std::fputs(shorten(for_terminal(text), terminal_width() - 1).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::show(const Event& event, const Runner& runner) {
  if (silent_) return;
  if (event.inquiry != nullptr) bracket_ = bracket_text(*event.inquiry);
  switch (event.kind) {
    case Event::Kind::adopted:
      line(fmt::format("adopted trial {} ({}), which an earlier runner started", event.trial, event.config));
      break;
    case Event::Kind::ended:
    case Event::Kind::reused:
      line(fmt::format("{:<60} {}", verdict_line(event), event.inquiry == nullptr ? "" : "| " + bracket_));
      break;
    case Event::Kind::warning:
      line("warning: " + event.text);
      break;
    case Event::Kind::started:
    case Event::Kind::finished:
    case Event::Kind::waiting:
      break;
  }
  redraw(runner);
}

}  // namespace brink::cli
