#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "troupe/actors/sim/world/connection_end.hpp"

namespace troupe {

/// What all simulated nodes are connected by: the links of each node (actors/link/), over simulated
/// connections instead of sockets.
///
/// SM-1: what is written to a connection arrives in that order.
class SimulatedNetwork {
 public:
  using Node = SimulatedNode;
  using Connected = LinkSet::Connected;

  struct Listener {
    Node node;
    uint64_t incarnation;
  };
  struct Served {
    Address address;
    caf::strong_actor_ptr root;  // that others reach first
    uint64_t incarnation = 0;
    Allocator& allocator;  // of tensors that arrive; must outlive the network
  };

  explicit SimulatedNetwork(NetworkState state);
  ~SimulatedNetwork();

  /// Takes effect for bytes written from now on, in all connections.
  void set_options(const NetworkOptions& options) { state_.options = options; }
  const NetworkOptions& options() const { return state_.options; }
  EventHeap::Time draw_latency() { return state_.draw_latency(); }
  const DeliveryLog& log() const { return state_.log; }

  /// Has a node accept connections. It must not have connected before.
  void serve(Node node, const Served& served);
  /// Null: nobody listens there.
  const Listener* listener(const Address& address) const;
  /// As LinkSet::connect, from that node.
  void connect(
      Node from, const Address& address, std::chrono::milliseconds timeout, Connected done);

  /// True where neither direction is cut.
  bool is_open(Node a, Node b) const { return !state_.is_cut(a, b) && !state_.is_cut(b, a); }
  void cut(Node from, Node to) { state_.cuts.emplace(from, to); }
  void heal(Node from, Node to);
  /// Breaks the connections between two nodes, with a part of what is under way. Each end notices
  /// after a latency of its own.
  void break_link(Node a, Node b);
  /// Ends the process of a node. A peer notices once all that the node has sent before, and that is
  /// not lost, has reached it: not while the direction to it is cut.
  void crash(Node node);

 private:
  class NodeLinks;
  using Ends = std::vector<std::shared_ptr<ConnectionEnd>>;

  NodeLinks& links_of(Node node);
  void open(
      Node from, const Address& address, int tries_left,
      const std::function<void(std::shared_ptr<Link>)>& opened, const LinkNetwork::Dialed& failed);
  std::shared_ptr<Link> make_connection(Node from, Node to);
  void add(std::pair<Node, Node> nodes, const std::shared_ptr<ConnectionEnd>& end);

  NetworkState state_;
  std::map<Address, Listener> listeners_;
  std::map<Node, std::unique_ptr<NodeLinks>> links_;
  std::map<std::pair<Node, Node>, Ends> ends_;  // by their node and the other's
};

}  // namespace troupe
