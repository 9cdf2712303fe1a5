#include "harness/diagnosis/windows.hpp"

namespace brink {

void Windows::begin(bool last) {
  end_ = text_.size();
  const std::size_t newline = text_.rfind('\n');
  if (!last && newline != std::string::npos && newline + 1 > seen_ && newline + 1 > end_ / 2)
    end_ = newline + 1;
}

void Windows::advance() {
  std::size_t keep = end_ > kOverlap ? end_ - kOverlap : 0;
  const std::size_t newline = text_.find('\n', keep);
  if (keep > 0 && newline != std::string::npos && newline < keep + kOverlap / 2) keep = newline + 1;
  text_.erase(0, keep);
  seen_ = end_ - keep;
}

}  // namespace brink
