#pragma once

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cuda {

/// The shape of what an element-wise part of two operands makes of those; fails where they do not
/// fit.
Result<Shape> shape_of_part(const fusion::Part& part, const Shape& x, const Shape& y);

}  // namespace troupe::cuda
