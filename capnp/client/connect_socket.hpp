#pragma once

#include <kj/io.h>

#include <chrono>

#include "troupe/graph/address.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// A connected, non-blocking socket. Tries again, ever less often, until the deadline; then
/// Unavailable names the address, the last reason and how long it was tried. Waits in the calling
/// thread. (Looking up a host's name may outlast the deadline, as the system's resolver does.)
Result<kj::AutoCloseFd> connect_socket(
    const Address& address, std::chrono::steady_clock::time_point deadline);

/// Another connection to the very place that `socket` is connected to.
Result<kj::AutoCloseFd> connect_beside(int socket, std::chrono::steady_clock::time_point deadline);

}  // namespace troupe
