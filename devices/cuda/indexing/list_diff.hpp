#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace troupe::cuda {

/// Says of each element of x whether y has it not: whether no leader of it is in y, which lies
/// before x. Flags are counted by blocks as in where.hpp.
struct LeftCall {
  bool* is_left;
  const int32_t* leaders;  // of the elements of y and x, as Leaders has them
  int64_t x_count, y_count;
  cudaStream_t stream;
};
void launch_left(const LeftCall& call);

/// Takes the elements that are left, and their places in x.
struct TakeLeftCall {
  void* to;
  void* places;
  bool has_long_places;  // int64, not int32
  const void* x;
  int size;  // of an element: 1, 2, 4, 8 or 16
  const bool* is_left;
  const int64_t* before;
  int64_t x_count;
  cudaStream_t stream;
};
void launch_take_left(const TakeLeftCall& call);

}  // namespace troupe::cuda
