#pragma once

#include "troupe/devices/cpu/quantization/quantized_range.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// That of a node of the family. InvalidArgument where its attributes are at fault.
Result<QuantizedForm> quantized_form(const Node& node);

/// The range that the attributes of a node say. InvalidArgument where they are at fault.
Result<QuantizedRange> fixed_range(const Node& node);

/// Checks inputs `min` and `max` of a launch, from that input on: they are scalars, or by channel
/// have an element for each of the last dimension of `input`.
Status check_limits(const Launch& launch, int first, const Shape& input, bool by_channel);

/// InvalidArgument where input 1, the inputs, does not have the shape of the gradients, input 0.
Status check_same_size(const Launch& launch);

}  // namespace troupe::cpu
