#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

/// Of an op that changes what its reference of input 0 names and passes that on: its output has the
/// same shape. `check` compares the other inputs with it.
Op::InferShape updates_reference(Op::InferShape check);

/// Ops on parts of variables.
void add_scatter_ops(OpCatalog& catalog);

}  // namespace troupe
