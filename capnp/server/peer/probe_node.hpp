#pragma once

#include <chrono>

#include "troupe/capnp/server/peer/peer_network.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Sends one heartbeat to the node at an address and returns its incarnation. NotFound where the
/// connection is refused, Unavailable where no answer comes within the timeout. `network` must
/// outlive the promise.
kj::Promise<Result<uint64_t>> probe_node(
    PeerNetwork& network, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
