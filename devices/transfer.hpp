#pragma once

#include <string>

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// Whether a device has memory of its own, by the type in its name.
bool has_own_memory(const std::string& device);

/// Kernels of the ops that partitioning adds (`graph/ops/transfer.hpp`), for any kind of device:
/// they reach other devices through the step's port and host memory.
void add_transfer_kernels(KernelCatalog& catalog);

}  // namespace troupe
