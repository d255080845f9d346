#pragma once

#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

inline Status no_vector(const Shape& shape) {
  return invalid_argument("x must be a vector, but has the shape " + shape.to_string());
}

}  // namespace troupe::cpu
