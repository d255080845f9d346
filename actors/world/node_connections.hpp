#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "troupe/actors/world/world.hpp"
#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Finds the task actor of the node at an address; see World::connect.
using ConnectNode = std::function<void(
    const Address& address, std::chrono::milliseconds timeout, World::Connected done)>;

/// Asks the node at an address for its incarnation; see World::probe.
using ProbeNode = std::function<void(
    const Address& address, std::chrono::milliseconds timeout, World::Probed done)>;

/// The connections of this process to other nodes. Thread-safe.
struct NodeConnections {
  ConnectNode connect;
  ProbeNode probe;
};

}  // namespace troupe
