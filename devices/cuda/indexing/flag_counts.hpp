#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

// Of flags on the card, in the blocks of where.hpp.

/// How many flags are true before each block, and, behind the blocks, in all.
Result<Tensor> count_before_blocks(const Launch& launch, const Tensor& flags);

/// The last of those numbers, where it lies.
Tensor total_of(const Tensor& before);

}  // namespace troupe::cuda
