#pragma once

#include "troupe/devices/cpu/data/captured_function.hpp"

namespace troupe::cpu {

/// What the function makes of each element of the input.
data::SharedSource map_source(
    const SharedIteration& iteration, data::SharedSource input, const CapturedFunction& function);

}  // namespace troupe::cpu
