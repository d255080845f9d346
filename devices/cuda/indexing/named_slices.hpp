#pragma once

#include "troupe/devices/cuda/index/rows.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

struct FoundSlices {
  NamedSlices slices;
  Shape shape;  // of all of them together
};

/// Where the slices are that vectors of indices name in a tensor of the shape `whole`.
Result<FoundSlices> find_named_slices(const Shape& whole, const Shape& indices);

/// Memory for ScatterCall::last.
Result<Tensor> numbers_of_last(const Launch& launch, const NamedSlices& slices);

}  // namespace troupe::cuda
