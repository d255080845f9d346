#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// A product of sides, or of scores. What is nearer to 0 than normal numbers is 0 to CPUs, but not
/// to cards.
struct SideProduct {
  TROUPE_BOTH float operator()(float x, float y) const {
    auto product = rounded_product(x, y);
    return fabsf(product) < 1.17549435e-38f ? 0 : product;
  }
};

}  // namespace troupe::cuda
