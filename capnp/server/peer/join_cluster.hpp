#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/node_messages.hpp"
#include "troupe/graph/cluster/address.hpp"

namespace troupe {

/// Asks the node at an address to admit a task to its cluster, with the retries and errors of
/// call_peer().
kj::Promise<Result<Joined>> join_cluster(
    kj::AsyncIoProvider& io, const Address& address, std::chrono::milliseconds timeout,
    const Join& request);

}  // namespace troupe
