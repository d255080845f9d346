#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/op.hpp"

namespace troupe {

/// The ops that this process has loaded from libraries (`devices/op_library.hpp`). Each catalog has
/// them besides its own, those made earlier, too: what finds no op of its own looks here. They stay
/// for the life of the process. Thread-safe.
namespace loaded_ops {

/// AlreadyExists, naming the op, where op_catalog() or a library has one of that name; then
/// none is added.
Status add(const OpCatalog& ops);
/// Null where there is none.
const Op* find(std::string_view name);
/// By name.
std::vector<const Op*> all();

}  // namespace loaded_ops
}  // namespace troupe
