#pragma once

#include "troupe/graph/build/gradients.hpp"

namespace troupe::ops {

/// The gradient function of FusedBatchNormGrad and its versions, composed of other ops.
void differentiate_batch_norm_grad(Gradient& g);

}  // namespace troupe::ops
