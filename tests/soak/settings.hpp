#pragma once

#include <cstdint>

namespace troupe::soak {

/// The command line.
struct Settings {
  double seconds = 600;
  double round_seconds = 0;  // 0: a sixth of all, but at most 60
  int nodes = 3;
  int clients = 4;
  uint64_t max_bytes = uint64_t{1} << 30;
  uint64_t in_flight = 0;  // 0: a third of the memory that is available
  double heartbeat_s = 2;
  bool tcp_only = false;
  int starts = 0;
  double queue_seconds = 0;
  uint64_t seed = 1;
};

}  // namespace troupe::soak
