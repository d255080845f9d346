#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Fails unless splits are a vector of numbers that do not fall, from 0 to at most `size`.
Status check_row_splits(const Tensor& splits, int64_t size);

// Parts of the ragged family, each in the file of its name.
void add_ragged_to_tensor_kernels(KernelCatalog& catalog);
void add_ragged_variant_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
