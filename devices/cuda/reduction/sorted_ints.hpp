#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Integers on the card in descending order, and the place that each had: equal ones are in the
/// order of their places. For sums that several threads make of the same places, in one order.
struct SortedInts {
  Tensor ints;
  Tensor places;  // int32
};

/// Of a tensor of int32 or int64.
Result<SortedInts> sort_ints(const Launch& launch, const Tensor& ints);

}  // namespace troupe::cuda
