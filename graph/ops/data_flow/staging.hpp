#pragma once

#include "troupe/graph/op.hpp"

namespace troupe {

/// With the attributes by which the ops of staging areas name the area and declare its limits.
Op staging_op(Op op, Op::InferShape infer);

}  // namespace troupe
