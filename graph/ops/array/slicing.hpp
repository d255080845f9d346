#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

// The parts of the slicing family, each in the file of its name.
void add_concat_ops(OpCatalog& catalog);  // Concat, ConcatV2, ConcatOffset
void add_gather_ops(OpCatalog& catalog);  // Gather, GatherV2

}  // namespace troupe
