#pragma once

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/array/strided_slice.hpp"

namespace troupe::cpu {

/// Reads the vectors begin, end and strides of a strided slice, inputs 1 to 3, on the host.
Status read_slice_entries(const Launch& launch, ops::SliceEntries& entries);

}  // namespace troupe::cpu
