#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// How far two boxes [y1, x1, y2, x2], with corners in any order, overlap: the share of their
/// intersection in their union.
float box_overlap(const float* a, const float* b);

// The kernels of the boxes family that have a file of their own.
void add_suppression_kernels(KernelCatalog& catalog);
void add_combined_suppression_kernels(KernelCatalog& catalog);
void add_box_sampling_kernels(KernelCatalog& catalog);
void add_glimpse_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
