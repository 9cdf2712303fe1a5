#include "harness/toolchain/complaints.hpp"

#include <algorithm>

#include "harness/core/text.hpp"

namespace brink {

void Complaints::add(int line, const std::string& where, const std::string& what, const std::string& remedy) {
  const std::string message = where.empty() ? what : where + ": " + what;
  errors_.push_back({line, Error(Exit::usage, code_, shorten(for_terminal(message), 1000),
                                 file_.string() + ":" + std::to_string(std::max(line, 1)), remedy)});
}

void Complaints::add(int line, const std::string& where, const Error& error) {
  add(line, where, error.message(), error.remedy());
}

void Complaints::throw_if_any() const {
  if (errors_.empty()) return;
  std::vector<Complaint> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
  std::vector<std::string> lines;
  for (const Complaint& complaint : sorted) lines.push_back(complaint.error.line());
  throw FileError(sorted.front().error, std::move(lines));
}

}  // namespace brink
