#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brink {

/// The candidate that a person most likely meant by `word`, or "" when none is near enough.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);
/// "; did you mean X?" or "; known: a, b, c" when nothing is near ("" for no candidates).
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace brink
