#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/failure.hpp"

namespace brink {

using Row = std::map<std::string, std::string>;

/// "S__tbt/ew_add3" → group "tbt", name "ew_add3". Without a scope the group is empty.
struct ScopedName {
  std::string group, name;
};
ScopedName scoped_name(std::string_view text);

/// A name as it enters a signature: the model's name dropped, the group kept, an operation's number replaced
/// by its role in its layer ("tbt/ew_add:mask add"), other numbers by N but for the inputs', which are the
/// same in every model.
std::string identity_of_name(std::string_view text);

/// Whether the rows have what a topology error says: node, bucket, successor, successor_bucket.
bool are_conflicts(const std::vector<Row>& rows);
/// One for each row, in order. Layer and role come from the number of the successor, else of the node: per
/// transformer layer the compiler counts five elementwise additions and five multiplications.
std::vector<Conflict> conflicts_of(const std::vector<Row>& rows);
/// "context-partition topology: 5 shared inputs, layers 0 and 1, 10 conflicts".
std::string topology_cause(const std::vector<Conflict>& conflicts);

}  // namespace brink
