#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// Parts of the family `text`, each in a file of its name.
void add_join_kernels(KernelCatalog& catalog);
void add_case_kernels(KernelCatalog& catalog);
void add_piece_kernels(KernelCatalog& catalog);
void add_number_kernels(KernelCatalog& catalog);
void add_hash_kernels(KernelCatalog& catalog);
void add_pattern_kernels(KernelCatalog& catalog);
void add_base64_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
