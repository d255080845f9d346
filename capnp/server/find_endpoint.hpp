#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// Asks who serves at an address. Tries again, ever less often, until the timeout: Unavailable then
/// names the address, the last reason and how long it was tried. `io` must outlive the promise.
kj::Promise<Result<Endpoint>> find_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
