#pragma once

#include <chrono>
#include <cstdint>

#include "troupe/actors/link/frame.hpp"
#include "troupe/actors/sim/world/latency.hpp"

namespace troupe {

/// How a simulated network behaves without faults.
struct NetworkOptions {
  /// Drawn for each segment of bytes.
  Latency latency = Latency::uniform(std::chrono::microseconds(20), std::chrono::microseconds(80));
  /// Bandwidth of each direction of a connection; 0: unlimited.
  uint64_t bytes_per_second = 0;
  /// Of the links of nodes that begin to connect or to serve from then on.
  LinkSizes link_sizes = {};
};

}  // namespace troupe
