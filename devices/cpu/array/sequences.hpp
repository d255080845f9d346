#pragma once

#include <cstdint>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The two axes that a ReverseSequence is about.
struct SequenceAxes {
  int64_t sequence, batch;
};

/// Whether they are axes of the shape, and there is a length for each sequence that it can have.
Status check_sequences(const Tensor& lengths, const Shape& shape, const SequenceAxes& axes);

}  // namespace troupe::cpu
