#pragma once

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {

/// How often each axis of a tensor of that shape is repeated: one entry for each, none below
/// `least`.
Result<IntInput> read_multiples(const Tensor& tensor, const Shape& shape, int64_t least);

/// The shape of so many copies of a tile.
Result<Shape> tiled_shape(const Shape& tile, const IntInput& multiples);

/// The shape of the tile that a tensor has so many copies of; `multiples` are positive.
Result<Shape> shape_of_tile(const Shape& tiled, const IntInput& multiples);

}  // namespace troupe::cpu
