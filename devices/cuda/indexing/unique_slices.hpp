#pragma once

#include "troupe/devices/cuda/indexing/leaders.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Sets the outputs of an op that finds distinct ones of `slices`, at least one, along `axis` of
/// input 0: of more than one element each, or of elements that are not ranked. Integers are of the
/// dtype `index`.
void start_unique_slices(
    Launch& launch, int axis, const SliceAxis& slices, DType index, bool has_counts,
    const Kernel::Done& done);

}  // namespace troupe::cuda
