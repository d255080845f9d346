#pragma once

#include <chrono>
#include <functional>

#include <caf/all.hpp>

#include "troupe/graph/address.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// Everything outside a task that its actors depend on: the actor system with its scheduling and
/// its clock, the links to other nodes, and randomness. All actors get theirs from here and ask
/// nothing else, so a simulated world can be put under the same actors.
///
/// Actors read no other clock than now(), sleep by after(), and wait for answers by requests with a
/// timeout. A handle of a remote actor, however an actor came by it, is a link of the world: a
/// message sent to it crosses the network, and its node() is that of its process.
class World {
 public:
  using Time = std::chrono::nanoseconds;  // since some moment of the past, the same for the node
  using Connected = std::function<void(Result<caf::strong_actor_ptr>)>;
  using Probed = std::function<void(Result<uint64_t>)>;

  virtual ~World() = default;

  virtual caf::actor_system& system() = 0;

  /// Finds the task actor of the node that serves at an address. Calls back exactly once, from any
  /// thread, within about the timeout: Unavailable names the address and says why.
  virtual void connect(
      const Address& address, std::chrono::milliseconds timeout, Connected done) = 0;

  /// Asks the process that serves at an address which life of its task it is, beside all links: it
  /// answers with the incarnation even where they are full and its actors busy. Asks once, and
  /// calls back exactly once, from any thread, within about the timeout. NotFound: nobody serves
  /// there, so the task is dead. Unavailable: no answer, so nothing is known.
  virtual void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) = 0;

  virtual uint64_t random() = 0;

  virtual Time now();
  /// Sends the message, from nobody, when that time is over. It cannot be taken back.
  virtual void after(Time delay, const caf::strong_actor_ptr& to, caf::message message);
};

}  // namespace troupe
