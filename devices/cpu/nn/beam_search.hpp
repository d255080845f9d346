#pragma once

#include <cstdint>
#include <string>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Fails unless the inputs of GatherTree fit together.
Status check_beam_tree(const Launch& launch);

inline Status invalid_parent(int64_t row, int64_t time, int64_t beam, int64_t parent) {
  return invalid_argument(
      "Saw invalid parent id " + std::to_string(parent) + " at (batch, time, beam) == (" +
      std::to_string(row) + ", " + std::to_string(time) + ", " + std::to_string(beam) + ")");
}

}  // namespace troupe::cpu
