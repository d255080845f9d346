#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Matrices of [rows, columns] as products of reflections 1 - factor * v * adjoint(v) and an upper
/// triangle, as LAPACK has them: v of the k-th reflection is 0 before row k, 1 in it, and lies
/// below it in column k. There are as many as rows or columns, whichever are fewer.
struct Reflections {
  void* matrices;
  void* factors;
  int64_t count, rows, columns;
};

/// Makes the reflections of the matrices that lie in their place, at most block_matrix_max (of
/// pivots.hpp) in both sizes.
void launch_find_reflections(Element element, const Reflections& reflections, cudaStream_t stream);

/// Writes the first `columns` columns of the products of all reflections.
void launch_multiply_reflections(
    Element element, void* to, int64_t columns, const Reflections& reflections,
    cudaStream_t stream);

}  // namespace troupe::cuda
