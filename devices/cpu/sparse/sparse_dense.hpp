#pragma once

#include <cstdint>
#include <span>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the shapes of inputs of sparse and dense tensors say, checked.

/// Of SparseToDense: that of the result, and [count, rank] of the indices.
struct DenseShapes {
  Shape dense;
  Shape indices;

  static Result<DenseShapes> of(const Launch& launch);
};

/// Which matrices are multiplied as their conjugate transposes.
struct SparseAdjoints {
  bool a, b;
};

/// The sizes of a sparse and a dense matrix, as they are to be multiplied.
struct SparseProduct {
  int64_t rows, inner, columns;

  /// `a`: the sizes of the sparse one.
  static Result<SparseProduct> of(
      std::span<const int64_t> a, const Shape& b, const SparseAdjoints& adjoint);
};

}  // namespace troupe::cpu
