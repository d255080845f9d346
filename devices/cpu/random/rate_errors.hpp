#pragma once

#include <string>

#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

// Why there are no Poisson numbers.

inline Status rate_is_not_a_number() { return invalid_argument("'rate' must not be NaN"); }

inline Status rate_is_too_great(double rate, DType dtype) {
  return invalid_argument(
      "'rate' is too great for samples of " + std::string(to_string(dtype)) + ": " +
      std::to_string(rate));
}

}  // namespace troupe::cpu
