#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The kernels of the random family that have a file of their own.
void add_gamma_and_poisson_kernels(KernelCatalog& catalog);
void add_parameterized_normal_kernels(KernelCatalog& catalog);
void add_multinomial_kernels(KernelCatalog& catalog);
void add_stateless_kernels(KernelCatalog& catalog);
void add_samplers_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
