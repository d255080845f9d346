#pragma once

#include <chrono>

#include "troupe/actors/node_messages.hpp"
#include "troupe/capnp/server/peer/peer_network.hpp"

namespace troupe {

/// Asks the node at an address to admit a task to its cluster, with the retries and errors of
/// call_peer().
kj::Promise<Result<Joined>> join_cluster(
    PeerNetwork& network, const Address& address, std::chrono::milliseconds timeout,
    const Join& request);

}  // namespace troupe
