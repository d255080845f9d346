#pragma once

#include <optional>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// The variable "global_step" of the graph, an int64 that counts the steps of a training; nothing
/// if the graph has none.
std::optional<Variable> get_global_step(const Builder& builder);

/// Makes it, starting at 0, on the builder's device and in its container. AlreadyExists where the
/// graph has one.
Variable create_global_step(const Builder& builder);

Variable get_or_create_global_step(const Builder& builder);

}  // namespace troupe
