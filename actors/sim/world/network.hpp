#pragma once

#include <map>
#include <memory>
#include <utility>

#include "troupe/actors/sim/world/channel.hpp"

namespace troupe {

/// The channels between all simulated nodes, two for each pair, made when they are first needed.
class SimulatedNetwork {
 public:
  using Node = SimulatedNode;

  explicit SimulatedNetwork(NetworkState state) : state_(std::move(state)) {}

  /// Takes effect for messages sent from now on, in all channels.
  void set_options(const NetworkOptions& options) { state_.options = options; }
  const NetworkOptions& options() const { return state_.options; }
  EventHeap::Time draw_latency() { return state_.draw_latency(); }
  const DeliveryLog& log() const { return state_.log; }

  /// True where neither direction is cut.
  bool is_open(Node a, Node b);
  /// Connects, and returns a proxy of an actor of `to`. Both nodes first notice the loss of any
  /// earlier connection between them.
  caf::strong_actor_ptr connect(Node from, Node to, const caf::strong_actor_ptr& actor);

  void cut(Node from, Node to) { channel(from, to).cut(); }
  void heal(Node from, Node to) { channel(from, to).heal(); }
  /// Loses the connection between two nodes. Each notices after a latency of its own.
  void break_link(Node a, Node b);
  /// Loses all connections of the node. A peer notices once the notice reaches it: not while the
  /// channel to it is cut.
  void crash(Node node);

 private:
  Channel& channel(Node from, Node to);

  NetworkState state_;
  std::map<std::pair<Node, Node>, std::unique_ptr<Channel>> channels_;
};

}  // namespace troupe
