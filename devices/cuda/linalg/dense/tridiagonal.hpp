#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Products of tridiagonal matrices with right-hand sides [size, columns]. Each matrix has `size`
/// elements of the diagonal above the main one, whose last lies outside, of the main one, and of
/// that below, whose first does.
struct TridiagonalProducts {
  void* out;
  const void* above;
  const void* main;
  const void* below;
  const void* rhs;
  int64_t count, size, columns;
  cudaStream_t stream;
};
void launch_tridiagonal_products(Element element, const TridiagonalProducts& call);

/// Solutions of systems whose matrices are given as [3, size]: their diagonals, as above. `faults`
/// has one for each, not 0 where a pivot is 0.
struct TridiagonalSystems {
  void* x;
  int32_t* faults;
  const void* diagonals;
  const void* rhs;
  void* room;  // of tridiagonal_room_bytes()
  int64_t count, size, columns;
  bool pivots;  // rows are exchanged, so that of two elements the greater one divides
  cudaStream_t stream;
};
size_t tridiagonal_room_bytes(Element element, int64_t count, int64_t size, int64_t columns);
void launch_solve_tridiagonal(Element element, const TridiagonalSystems& call);

}  // namespace troupe::cuda
