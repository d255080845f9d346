#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/world/node_connections.hpp"
#include "troupe/capnp/server/services/service.hpp"
#include "troupe/capnp/tls/credentials.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The port of a node for clients and other nodes, and the thread that serves it. It starts in two
/// steps, because a task's actors need the port and the connections before they exist: open() binds
/// the port, serve() listens on it. Connections in between are refused, so that a prober does not
/// take the node for a silent one.
class RpcServer {
 public:
  /// Binds a port (0: the system chooses one) at a host's address ("" is the loopback). With
  /// credentials, connections to and from other machines and users are encrypted, and those who
  /// have none are refused. Unavailable, naming the address, where the port is in use.
  static Result<std::unique_ptr<RpcServer>> open(
      const std::string& bind_host, int port, std::shared_ptr<Credentials> credentials = nullptr);

  /// As close(), without a deadline.
  virtual ~RpcServer() = default;

  virtual int port() const = 0;
  /// The links of this node, from serve() on, and probes. Cancelled after close().
  virtual NodeConnections connections() = 0;
  /// Asks the node at an address to admit this task to its cluster. Calls `done` once, on any
  /// thread.
  virtual void join(
      const Address& address, std::chrono::milliseconds timeout, const Join& request,
      Done<Joined> done) = 0;

  /// Starts to accept connections; called once. The actor system must outlive the server.
  /// Unavailable where another socket listens on that port meanwhile.
  virtual Status serve(Service service) = 0;
  /// Ends all connections, which cancels their steps and closes their sessions, and frees the port.
  /// DeadlineExceeded where an actor occupies the thread for longer than that.
  virtual Status close(std::chrono::milliseconds deadline) = 0;
};

}  // namespace troupe
