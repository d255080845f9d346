#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <caf/all.hpp>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Everything outside a task that its actors depend on: the actor system with its scheduler and
/// clock, connections to other nodes, and randomness. Actors use nothing else, so that the same
/// actors run in a simulated world.
///
/// Actors read no other clock than now(), set timers by after(), and wait for answers by requests
/// with a timeout. A handle of a remote actor, also one received in a message, is a proxy: messages
/// sent to it cross the network, and its node() identifies the remote process.
class World {
 public:
  /// Since a fixed time in the past, the same for all actors of a node.
  using Time = std::chrono::nanoseconds;
  using Connected = std::function<void(Result<caf::strong_actor_ptr>)>;
  using Probed = std::function<void(Result<uint64_t>)>;

  virtual ~World() = default;

  virtual caf::actor_system& system() = 0;

  /// Finds the task actor of the node that serves at an address. Calls back exactly once, from any
  /// thread, within about the timeout. Unavailable names the address and the reason.
  virtual void connect(
      const Address& address, std::chrono::milliseconds timeout, Connected done) = 0;

  /// Asks the process at an address for the incarnation of its task, over a connection of its own:
  /// the process answers even while its actor connections are full and its actors are busy. Asks
  /// once, and calls back exactly once, from any thread, within about the timeout. NotFound: no
  /// process listens there, so the task is dead. Unavailable: no answer, the task may be alive.
  virtual void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) = 0;

  /// Runs work that takes long on a background thread, so that no actor is blocked meanwhile. Its
  /// result is posted to the actor (post.hpp).
  virtual void run_in_background(std::function<void()> work) = 0;
  /// Whether work on a graph of so many nodes takes long: milliseconds.
  virtual bool takes_long(size_t nodes) { return nodes >= 1000; }

  virtual uint64_t random() = 0;

  virtual Time now();
  /// Which clock now() reads: worlds with the same name read the same. "": none but this does.
  virtual std::string clock_name() { return {}; }
  /// Sends the message, without a sender, after the delay. Cannot be cancelled.
  virtual void after(Time delay, const caf::strong_actor_ptr& to, caf::message message);
};

}  // namespace troupe
