#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// Asks the node at an address for its identity, with the retries and errors of call_peer().
kj::Promise<Result<Endpoint>> find_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
