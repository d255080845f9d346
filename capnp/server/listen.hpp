#pragma once

#include <kj/io.h>

#include <string>

#include "troupe/graph/status.hpp"

namespace troupe {

/// A socket at an address of this machine.
struct PlacedSocket {
  kj::AutoCloseFd socket;
  int port;
};

/// Takes a port (0: the system chooses one) of a host's address ("" is the loopback, "0.0.0.0" all
/// of this machine's); who connects is refused until start_listening(). Unavailable, naming both,
/// where that cannot be.
Result<PlacedSocket> take_port(const std::string& host, int port);
/// Unavailable where another socket listens there meanwhile.
Status start_listening(int socket);

Result<PlacedSocket> listen_on(const std::string& host, int port);

}  // namespace troupe
