#pragma once

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// `builder` with the variable's device and container.
Builder colocate_with(const Variable& variable, const Builder& builder);

/// Reads a variable on its device, after what the builder's nodes run after.
Value read_variable(const Builder& builder, const Variable& variable);

}  // namespace troupe
