#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// Asks who serves at an address, as ask_door() does.
kj::Promise<Result<Endpoint>> find_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
