#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the slicing family, each in the file of its name.
void add_concat_kernels(KernelCatalog& catalog);  // Pack, Unpack, Concat...
void add_gather_kernels(KernelCatalog& catalog);  // Gather, GatherV2, OneHot

}  // namespace troupe::cpu
