#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

/// Fits the attributes of a node and the dtypes of its inputs to its op's declaration: completes
/// the attributes by those that the inputs imply and by defaults, and returns the dtypes of the
/// outputs. InvalidArgument names the input or attribute that does not fit. Shapes are looked at
/// later.
Result<DTypes> complete_signature(const Op& op, const DTypes& inputs, Attrs& attrs);

}  // namespace troupe
