#pragma once

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// The slices of a tensor along an axis: `count` of them, each of `outer` pieces of `inner`
/// elements.
struct UniqueSlices {
  const Tensor& x;
  int axis = 0;
  int64_t outer = 1, count = 1, inner = 1;
};

/// Those of input 0, along the axis in input 1, if the op has one and it is not empty; else the
/// elements of a vector.
Result<UniqueSlices> unique_slices(const Launch& launch);

inline Status no_vector(const Shape& shape) {
  return invalid_argument("x must be a vector, but has the shape " + shape.to_string());
}

}  // namespace troupe::cpu
