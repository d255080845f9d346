#pragma once

#include <string>

#include "troupe/graph/op.hpp"

namespace troupe {

/// An op whose output is the handle of a resource in a container.
Op learning_handle_op(std::string name);

/// All inputs and outputs are scalars.
Status infer_scalars(ShapeInference& s);

}  // namespace troupe
