#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// A part of the array family, in the file of its name.
void add_memory_ops(OpCatalog& catalog);  // Empty, Inplace..., ParallelConcat, Fingerprint

}  // namespace troupe
