#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// Parts of add_sounds_kernels(), each in the file of its name.
void add_spectrogram_kernel(KernelCatalog& catalog);
void add_cepstrum_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
