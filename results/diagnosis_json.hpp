#pragma once

#include <string>
#include <string_view>

#include "harness/core/failure.hpp"

namespace brink {

std::string_view diagnosis_kind_text(Diagnosis::Kind kind);

/// One line of JSON, UTF-8 whatever the log held; diagnosis_from_json inverts it for valid UTF-8.
std::string diagnosis_to_json(const Diagnosis& diagnosis);
/// Throws Error (code "store") on anything else.
Diagnosis diagnosis_from_json(std::string_view json);

}  // namespace brink
