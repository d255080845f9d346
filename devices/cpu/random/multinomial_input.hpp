#pragma once

#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {

/// The shape of the samples of Multinomial, whose inputs 0 and 1, logits and their number, are
/// checked.
Result<Shape> multinomial_shape(const Launch& launch);

/// How many blocks of random bits samples of that shape reserve.
inline uint64_t multinomial_blocks(const Shape& samples) {
  if (samples.elements() == 0) return 0;
  return static_cast<uint64_t>(samples[0] * ((samples[1] + 3) / 4 * 4) * 2 * 256);
}

}  // namespace troupe::cpu
