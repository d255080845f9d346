#pragma once

#include <kj/async-io.h>

#include <chrono>

#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// Asks the porter at an address for the node's incarnation, once: NotFound where nobody serves
/// there, Unavailable where no answer comes within the timeout. `io` must outlive the promise.
kj::Promise<Result<uint64_t>> probe_endpoint(
    kj::AsyncIoProvider& io, Address address, std::chrono::milliseconds timeout);

}  // namespace troupe
