#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "troupe/graph/op.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// The sizes of a tensor whose elements are counted in row-major order.
struct CountedDims {
  std::vector<int64_t> sizes;
  int64_t elements = 1;
  Shape coordinates;  // of the result: those along each axis, for one index or a vector of them
};

/// Fails where the dtype of `dims` cannot count the elements.
inline Result<CountedDims> find_counted_dims(const Shape& indices, const Tensor& dims) {
  if (indices.rank() > 1 || dims.shape().rank() != 1)
    return invalid_argument(
        "indices must be a scalar or a vector and dims a vector, but have the shapes " +
        indices.to_string() + " and " + dims.shape().to_string());
  CountedDims counted{.sizes = *to_ints(dims), .elements = 1, .coordinates = {}};
  auto most = dims.dtype() == DType::int32 ? int64_t{std::numeric_limits<int32_t>::max()}
                                           : std::numeric_limits<int64_t>::max();
  for (auto dim : counted.sizes) {
    if (dim <= 0)
      return invalid_argument("dims must be positive, but one is " + std::to_string(dim));
    if (__builtin_mul_overflow(counted.elements, dim, &counted.elements) || counted.elements > most)
      return invalid_argument("dims are of too many elements to be counted in their dtype");
  }
  auto rank = dims.elements();
  auto shape = indices.is_scalar() ? Shape{rank} : Shape{rank, indices[0]};
  auto checked = Shape::make(shape.sizes());
  if (!checked) return checked.status();
  counted.coordinates = *checked;
  return counted;
}

}  // namespace troupe::cpu
