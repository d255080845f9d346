#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Which elements of a matrix are read; others count as 0.
enum class MatrixPart : uint8_t { whole, lower, upper };

/// Writes matrices of [rows, columns], one after the other, in row-major order. Their element
/// (i, j) is that of `from` at i * row + j * column, in elements; and from one matrix of it to the
/// next there are `matrix`.
struct MatrixCopy {
  void* to;
  const void* from;
  int64_t count, rows, columns;
  int64_t matrix, row, column;
  MatrixPart part = MatrixPart::whole;
  bool conjugates = false;
  bool are_reals = false;  // in `from`, where the elements of `to` are complex
  /// For each matrix; where it is not 0, all elements of the part become `instead`.
  const int32_t* faults = nullptr;
  double instead = 0;
  cudaStream_t stream = nullptr;
};
void launch_matrix_copy(Element element, const MatrixCopy& call);

/// Sets matrices of [rows, columns] to 1 on the diagonal and 0 beside it.
void launch_identities(
    Element element, void* to, int64_t count, int64_t rows, int64_t columns, cudaStream_t stream);

/// Sets the fault of each matrix of [rows, columns] to 1 if an element of that part is not finite,
/// else to 0.
void launch_find_not_finite_matrices(
    Element element, int32_t* faults, const void* matrices, int64_t count, int64_t rows,
    int64_t columns, MatrixPart part, cudaStream_t stream);

/// Sets faults to 1 where others are not 0.
void launch_join_faults(int32_t* faults, const int32_t* others, int64_t count, cudaStream_t stream);
/// Sets faults to 0 where `of` is not 0.
void launch_drop_faults(int32_t* faults, const int32_t* of, int64_t count, cudaStream_t stream);

}  // namespace troupe::cuda
