#pragma once

#include <cstdint>

#include "troupe/graph/op.hpp"

namespace troupe {

/// What is known of a sparse tensor, or Shape::unknown.
struct SparseForm {
  int64_t count;  // of the entries that it has
  int64_t rank;
};

/// Checks that three inputs can be a sparse tensor: indices [count, rank], values [count] and a
/// shape [rank]. `values` is -1 where the op has none.
Result<SparseForm> infer_sparse(ShapeInference& s, int indices, int values, int shape);

// The parts of the sparse family, each in the file of its name.
void add_sparse_dense_ops(OpCatalog& catalog);  // with dense tensors: sums, products, EditDistance

}  // namespace troupe
