#pragma once

#include "troupe/devices/cuda/index/strided_walk.hpp"

namespace troupe::cuda {

/// How many neighbours of the walk can be passed at once, up to `most`, a power of 2: its first
/// axis is contiguous in both operands, and all offsets are multiples of so many.
inline int joined_elements(const StridedWalk<2>& walk, int most) {
  if (walk.rank == 0 || walk.strides[0].at[0] != 1 || walk.strides[0].at[1] != 1) return 1;
  auto joined = most;
  auto fits = [&](int64_t number) {
    while (number % joined != 0) joined /= 2;
  };
  fits(walk.sizes[0].divisor());
  for (int axis = 1; axis < walk.rank; ++axis)
    for (auto stride : walk.strides[axis].at) fits(stride);
  return joined;
}

/// The walk in steps of so many neighbours, whose offsets count them.
inline StridedWalk<2> walk_joined(const StridedWalk<2>& walk, int joined) {
  if (joined == 1) return walk;
  StridedWalk<2> result;
  result.add_axis(walk.sizes[0].divisor() / joined, {{1, 1}});
  for (int axis = 1; axis < walk.rank; ++axis)
    result.add_axis(
        walk.sizes[axis].divisor(),
        {{walk.strides[axis].at[0] / joined, walk.strides[axis].at[1] / joined}});
  return result;
}

}  // namespace troupe::cuda
