#pragma once

#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// What CheckNumerics says of a tensor with numbers that are not finite.
inline Status not_finite(const std::string& message, bool has_nan, bool has_infinity) {
  auto found = has_nan && has_infinity ? "Inf and NaN" : has_nan ? "NaN" : "Inf";
  return invalid_argument(message + " : Tensor had " + found + " values");
}

}  // namespace troupe::cpu
