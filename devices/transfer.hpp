#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// Kernels of the ops that partitioning adds (`graph/ops/transfer.hpp`), for any kind of device:
/// they reach other devices through the step's port and host memory.
void add_transfer_kernels(KernelCatalog& catalog);

}  // namespace troupe
