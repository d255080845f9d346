#pragma once

#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe::cli {

/// Ports of 127.0.0.1 that no socket is bound to, at the time of the call.
Result<std::vector<int>> free_ports(size_t count);

}  // namespace troupe::cli
