#pragma once

#include <re2/re2.h>

#include <string>

namespace brink {

/// How every pattern of rules and targets is read: UTF-8, no complaints on stderr, bounded memory.
RE2::Options pattern_options();
/// The pattern with ^ and $ at the borders of lines.
std::string line_pattern(const std::string& pattern);
/// Whether the pattern may be searched over line borders. Not when it has a wildcard without bound: in
/// "error.*memory" it would bind words of different messages.
bool may_be_joined(const std::string& pattern);
/// Whether the pattern says where a line begins or ends.
bool knows_lines(const std::string& pattern);

}  // namespace brink
