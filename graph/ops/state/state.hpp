#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

/// Ops on parts of variables.
void add_scatter_ops(OpCatalog& catalog);

}  // namespace troupe
