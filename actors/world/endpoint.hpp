#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What a node answers at its advertised address: its task, and where its actors are reached.
struct Endpoint {
  std::string job;
  int task = 0;
  uint64_t incarnation = 0;
  uint32_t protocol_version = 0;
  std::string host;
  uint16_t actor_port = 0;
};

/// Asks the node at an address for its Endpoint. Calls back exactly once, from any thread, within
/// about the timeout; a refused connection is tried again until then. Unavailable names the
/// address, the reason and for how long it was tried.
using FindEndpoint = std::function<void(
    Address address, std::chrono::milliseconds timeout,
    std::function<void(Result<Endpoint>)> done)>;

/// Asks the node at an address for its incarnation; see World::probe.
using ProbeEndpoint = std::function<void(
    Address address, std::chrono::milliseconds timeout,
    std::function<void(Result<uint64_t>)> done)>;

/// Requests to the RPC servers of other nodes, which bypass actors and their connections.
struct Endpoints {
  FindEndpoint find;
  ProbeEndpoint probe;
};

}  // namespace troupe
