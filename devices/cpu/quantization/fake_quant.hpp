#pragma once

#include <vector>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The integers that stand for numbers, as floats.
struct QuantizedForm {
  float least, most;

  /// InvalidArgument where a node of the family has attributes that are at fault.
  static Result<QuantizedForm> of(const Node& node);
};

/// A range of numbers that integers stand for, shifted so that one of them stands for 0.
struct QuantizedRange {
  float low, high;
  float scale;            // from one integer to the next
  float zero;             // the integer of 0, counted from the least
  bool is_empty = false;  // both of its limits are 0

  /// In float and with TensorFlow's steps, which decide where the range lies.
  static QuantizedRange of(float min, float max, const QuantizedForm& form);
};

/// The range that the attributes of a node say. InvalidArgument where they are at fault.
Result<QuantizedRange> fixed_range(const Node& node);

/// Of inputs `min` and `max` of a launch, from that input on, which are scalars or have an element
/// for each of the last dimension of `input`. InvalidArgument where they are not.
Result<std::vector<QuantizedRange>> ranges_of(
    const Launch& launch, int first, const Shape& input, const QuantizedForm& form,
    bool by_channel);

/// InvalidArgument where input 1, the inputs, does not have the shape of the gradients, input 0.
Status check_same_size(const Launch& launch);

}  // namespace troupe::cpu
