#pragma once

#include "troupe/devices/cpu/state/element_rows.hpp"

namespace troupe::cpu {

/// The kernels of TensorArrays whose elements lie where `rows` computes on them.
void add_array_kernels(KernelCatalog& catalog, const ElementRows& rows);

}  // namespace troupe::cpu
