#pragma once

#include <kj/io.h>

namespace troupe {

// A Unix socket beside the port of a node: clients and nodes of the same host connect there, since
// it is faster than TCP and passes descriptors. Its name, which no file has, is the address of the
// port, so it can be used by those who can use the port: it is of the same network namespace.

/// Listens on the Unix socket that belongs to the TCP port of `port`, a bound socket. Null where
/// the system refuses.
kj::AutoCloseFd listen_unix_socket(int port);

/// Connects to the Unix socket of the node at the other end of a TCP connection. Null where that
/// node is on another host, or does not listen there as the same user. Does not wait.
kj::AutoCloseFd connect_unix_socket(int connection);

/// Whether it is a Unix socket with a process of the same user at its other end.
bool is_of_this_user(int socket);

}  // namespace troupe
