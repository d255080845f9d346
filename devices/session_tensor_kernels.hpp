#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// The kernels of tensors that a session keeps. Every kind of device has the same.
void add_session_tensor_kernels(KernelCatalog& catalog);

}  // namespace troupe
