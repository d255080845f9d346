#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

/// A part of add_iterators_ops(): what a step may have or not, such as the next element.
void add_optionals_ops(OpCatalog& catalog);

}  // namespace troupe
