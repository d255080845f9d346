#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/messages.hpp"
#include "troupe/graph/address.hpp"

namespace troupe {

/// Asks the node at an address for a place in its cluster, as find_endpoint() asks who it is.
kj::Promise<Result<Joined>> join_cluster(
    kj::AsyncIoProvider& io, const Address& address, std::chrono::milliseconds timeout,
    const Join& wish);

}  // namespace troupe
