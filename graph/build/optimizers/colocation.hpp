#pragma once

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// `builder` with the variable's device and container.
Builder colocate_with(const Variable& variable, const Builder& builder);

}  // namespace troupe
