#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Sends one heartbeat to the node at an address and returns its incarnation. NotFound where the
/// connection is refused, Unavailable where no answer comes within the timeout. `io` must outlive
/// the promise.
kj::Promise<Result<uint64_t>> probe_node(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
