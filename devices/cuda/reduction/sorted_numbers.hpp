#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Numbers on the card in descending order, NaN last, and the place that each had: equal ones are
/// in the order of their places. As for sums that several threads make of the same places, in one
/// order.
struct SortedNumbers {
  Tensor numbers;
  Tensor places;  // int32
};

/// Of a tensor of real numbers. `unsorted`, if it is given, is 0 on the card where the numbers are
/// in that order already: then they are only copied.
Result<SortedNumbers> sort_numbers(
    const Launch& launch, const Tensor& numbers, const int32_t* unsorted = nullptr);

}  // namespace troupe::cuda
