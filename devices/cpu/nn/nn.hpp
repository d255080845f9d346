#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the network family, each in the file of its name.
void add_bias_kernels(KernelCatalog& catalog);
void add_softmax_kernels(KernelCatalog& catalog);
void add_lstm_kernels(KernelCatalog& catalog);
void add_gru_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
