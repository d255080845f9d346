#pragma once

#include <kj/io.h>

#include <chrono>
#include <functional>
#include <string>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Returns a connected, non-blocking socket; a Unix socket where the node is on this host and has
/// one beside its port. Retries, ever less often, until the deadline; then
/// Unavailable names the address, the last reason and how long it was tried. Blocks the calling
/// thread. (The system's resolver may exceed the deadline when it looks up a host's name.)
/// Where it is still refused after a second, `on_wait`, if there is one, is called once with the
/// reason.
Result<kj::AutoCloseFd> connect_socket(
    const Address& address, std::chrono::steady_clock::time_point deadline,
    const std::function<void(const std::string&)>& on_wait = nullptr);

/// Opens another connection to the peer address of `socket`.
Result<kj::AutoCloseFd> connect_same_peer(
    int socket, std::chrono::steady_clock::time_point deadline);

}  // namespace troupe
