#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// The parts of the partition family, each in the file of its name.
void add_search_ops(OpCatalog& catalog);  // Where, Unique..., LowerBound, UpperBound

}  // namespace troupe
