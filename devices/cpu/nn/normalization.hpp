#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the normalization family.
void add_local_response_kernels(KernelCatalog& catalog);

/// Whether the inputs of LRN, or of its gradient, are images of one shape.
Status check_lrn_images(const Launch& launch);

}  // namespace troupe::cpu
