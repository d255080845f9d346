#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A part of add_dataset_interleaving_kernels(): datasets of groups of elements.
void add_dataset_grouping_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
