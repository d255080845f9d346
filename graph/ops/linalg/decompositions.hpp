#pragma once

#include "troupe/graph/op.hpp"

namespace troupe::linalg {

/// The dtypes of decompositions.
const DTypes& decomposable();

/// The shape of the matrices of an input, whose last two sizes are the same. Fails where they are
/// not.
Result<Shape> square_matrices(const ShapeInference& s, int index);

// The parts of the family, each in the file of its name.
void add_solver_ops(OpCatalog& catalog);
void add_factorization_ops(OpCatalog& catalog);

}  // namespace troupe::linalg
