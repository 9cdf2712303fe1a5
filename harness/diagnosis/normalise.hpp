#pragma once

#include <string>
#include <string_view>

namespace brink {

/// What stays the same when the same failure happens again, elsewhere or at another size: numbers, addresses,
/// dates, durations, folders, names of temporary files and places in sources are replaced; repeated words and
/// list items become one.
std::string normalise(std::string_view message);

/// 16 hex digits; equal texts, equal signatures.
std::string signature_of(std::string_view identity);

}  // namespace brink
