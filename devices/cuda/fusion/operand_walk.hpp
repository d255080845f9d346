#pragma once

#include <cstddef>
#include <vector>

#include "troupe/graph/types/shape.hpp"

namespace troupe::cuda {

/// Of so many operands at most a kernel walks over the elements.
inline constexpr size_t walked_max = 4;

/// The bytes of a StridedWalk over the operands, which are broadcast to `whole`, as the parameter
/// of a kernel; none of no operands.
std::vector<std::byte> walk_over(const std::vector<Shape>& operands, const Shape& whole);

}  // namespace troupe::cuda
