#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A part of add_iterators_kernels(): what a step may have or not.
void add_optionals_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
