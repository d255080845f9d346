#pragma once

#include <map>
#include <memory>
#include <utility>

#include "troupe/actors/world/way.hpp"

namespace troupe {

/// The ways between all simulated nodes, made when they are first needed.
class SimulatedNetwork {
 public:
  using Node = SimulatedNode;

  explicit SimulatedNetwork(Medium medium) : medium_(std::move(medium)) {}

  /// From now on, for all ways.
  void set_options(const NetworkOptions& options) { medium_.options = options; }
  const NetworkOptions& options() const { return medium_.options; }
  EventHeap::Time draw_latency() { return medium_.draw_latency(); }
  const DeliveryLog& log() const { return medium_.log; }

  /// Neither the way there nor the way back is cut.
  bool is_open(Node a, Node b);
  /// A link to an actor of `to`. Whatever connection was lost before, both nodes have heard of it.
  caf::strong_actor_ptr connect(Node from, Node to, const caf::strong_actor_ptr& actor);

  void cut(Node from, Node to) { way(from, to).cut(); }
  void heal(Node from, Node to) { way(from, to).heal(); }
  /// The connection between them is over, and each hears of that in its own time.
  void break_link(Node a, Node b);
  /// All connections of the node are over. The others hear of that if the way is open.
  void crash(Node node);

 private:
  Way& way(Node from, Node to);

  Medium medium_;
  std::map<std::pair<Node, Node>, std::unique_ptr<Way>> ways_;
};

}  // namespace troupe
