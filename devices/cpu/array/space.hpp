#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the space family, each in the file of its name.
void add_patches_kernels(KernelCatalog& catalog);  // ExtractImagePatches, ExtractVolumePatches

}  // namespace troupe::cpu
