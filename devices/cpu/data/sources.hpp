#pragma once

#include "troupe/devices/cpu/data/dataset_kernel.hpp"

namespace troupe::cpu {

/// The slices of the components along axis 0, which must have one size there; there must be a
/// component.
data::SharedSource slices_source(const SharedIteration& iteration, Tensors components);

}  // namespace troupe::cpu
