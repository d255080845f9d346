#pragma once

#include "troupe/devices/device.hpp"

namespace troupe::accelerator {

/// Adds the kernels that a device with memory of its own takes from a CPU, where the catalog has
/// none: those that pass tensors on without a look at their elements, and those that compute with
/// sizes, whose arguments lie on the host. `host` runs them and must outlive the catalog.
void add_host_side_kernels(KernelCatalog& catalog, Device& host);

}  // namespace troupe::accelerator
