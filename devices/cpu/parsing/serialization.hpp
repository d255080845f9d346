#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The ops of sparse tensors as strings, in sparse_serialization.cpp.
void add_sparse_serialization_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
