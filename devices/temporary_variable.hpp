#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// The kernels of variables that live for one step. Every kind of device has the same.
void add_temporary_variable_kernels(KernelCatalog& catalog);

}  // namespace troupe
