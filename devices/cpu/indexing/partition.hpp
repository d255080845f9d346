#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Whether the first two inputs are vectors, as ListDiff takes them.
Status check_lists(const Launch& launch);

// The parts of the partition family, each in the file of its name.
void add_rolling_kernels(KernelCatalog& catalog);  // Roll, LinSpace
void add_search_kernels(KernelCatalog& catalog);   // LowerBound, UpperBound
void add_where_kernel(KernelCatalog& catalog);     // Where
void add_unique_kernels(KernelCatalog& catalog);   // Unique...

}  // namespace troupe::cpu
