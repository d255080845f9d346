#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/world/endpoint.hpp"
#include "troupe/capnp/server/service.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// Where clients and peers come in: a port, and the thread that serves it. It opens in two steps,
/// because a task's actors want to know the port, and to look for their peers from its thread; who
/// connects in between is refused, so that nobody takes it for a task that is silent.
class Door {
 public:
  /// Takes the port (0: the system chooses one) of a host's address ("" is the loopback).
  /// Unavailable, naming the address, where the port is in use.
  static Result<std::unique_ptr<Door>> open(const std::string& bind_host, int port);

  /// As close(), and waits until it is done.
  virtual ~Door() = default;

  virtual int port() const = 0;
  /// Asks other nodes from the door's thread. After close() the answer is Cancelled.
  virtual Endpoints endpoints() = 0;
  /// Asks the node at an address for a place in its cluster. Calls back once, from any thread.
  virtual void join(
      const Address& address, std::chrono::milliseconds timeout, const Join& wish,
      Done<Joined> done) = 0;

  /// Lets in who comes from now on; once. The actor system must outlive the door. Unavailable where
  /// somebody else has begun to serve that port meanwhile.
  virtual Status serve(Service service) = 0;
  /// Ends all connections, which cancels their steps and closes their sessions, and frees the port.
  /// DeadlineExceeded where an actor keeps the thread for longer than that.
  virtual Status close(std::chrono::milliseconds deadline) = 0;
};

}  // namespace troupe
