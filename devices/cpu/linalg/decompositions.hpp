#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the decompositions family, each in the file of its name.
void add_solver_kernels(KernelCatalog& catalog);
void add_factorization_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
