#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The kernels of the boxes family that have a file of their own.
void add_suppression_kernels(KernelCatalog& catalog);
void add_combined_suppression_kernels(KernelCatalog& catalog);
void add_box_sampling_kernels(KernelCatalog& catalog);
void add_glimpse_kernels(KernelCatalog& catalog);
void add_matching_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
