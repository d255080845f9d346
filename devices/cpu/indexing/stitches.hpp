#pragma once

#include <cstdint>
#include <vector>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the inputs of DynamicPartition and DynamicStitch say, checked.

/// Slices of input 0 by the parts that get them.
struct PartSlices {
  Shape slice;
  std::vector<std::vector<int64_t>> parts;  // the places of their slices
};
Result<PartSlices> read_parts(const Launch& launch, int64_t parts);

/// Slices that are put together, from inputs of indices and as many of data.
struct Stitches {
  Shape slice;
  int64_t count = 0;     // of places
  bool is_full = false;  // a slice is given for each
};
Result<Stitches> read_stitches(const Launch& launch);

/// Of a tensor of that many slices.
Result<Shape> shape_of_slices(int64_t count, const Shape& slice);

}  // namespace troupe::cpu
