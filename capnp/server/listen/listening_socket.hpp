#pragma once

#include <kj/io.h>

#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// A socket that is bound to a port of this machine.
struct BoundSocket {
  kj::AutoCloseFd socket;
  int port;
};

/// Binds a port (0: the system chooses one) at a host's address ("" is the loopback, "0.0.0.0" all
/// addresses of this machine). Connections are refused until start_listening(). Unavailable, naming
/// address and port, where that fails.
Result<BoundSocket> bind_port(const std::string& host, int port);
/// Unavailable where another socket listens there meanwhile.
Status start_listening(int socket);

/// bind_port() and start_listening().
Result<BoundSocket> listen_on(const std::string& host, int port);

}  // namespace troupe
