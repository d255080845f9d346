#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A part of add_dataset_batching_kernels(): datasets of datasets of elements.
void add_dataset_windows_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
