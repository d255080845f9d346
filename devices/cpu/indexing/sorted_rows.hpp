#pragma once

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// Whether there are rows of sorted elements for rows of values, whose places in them are of that
/// dtype.
Status check_sorted_rows(const Shape& sorted, const Shape& values, DType places);

}  // namespace troupe::cpu
