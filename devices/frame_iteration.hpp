#pragma once

#include <compare>
#include <cstdint>

namespace troupe {

/// An iteration of a loop: the number of its frame, which is the same on all devices of a step, and
/// of the round in it. {0, 0} is outside of all loops. (TensorFlow: FrameAndIter.)
struct FrameIteration {
  uint64_t frame = 0;
  int64_t iteration = 0;

  auto operator<=>(const FrameIteration&) const = default;
};

}  // namespace troupe
