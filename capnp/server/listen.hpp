#pragma once

#include <kj/io.h>

#include <string>

#include "troupe/graph/status.hpp"

namespace troupe {

struct ListeningSocket {
  kj::AutoCloseFd socket;
  int port;
};

/// Listens on a host's address ("" is the loopback, "0.0.0.0" all of this machine's) and port (0:
/// the system chooses one). Unavailable, naming both, where that cannot be.
Result<ListeningSocket> listen_on(const std::string& host, int port);

}  // namespace troupe
