#pragma once

#include <optional>

#include "troupe/graph/op.hpp"

namespace troupe {

// A part of the array family, in the file of its name.
void add_memory_ops(OpCatalog& catalog);  // Empty, Inplace..., ParallelConcat, Fingerprint

namespace ops {

/// The size of the axis that a Reshape leaves open: the only unknown one of `wanted`. As in
/// TensorFlow, sizes of 0 on both sides count as 1: [0,6] becomes [0,-1,3] with 2. Nothing where it
/// would not be a whole number. `given` must be known.
std::optional<int64_t> open_size(const Shape& given, const Shape& wanted);

}  // namespace ops
}  // namespace troupe
