#pragma once

#include <functional>
#include <random>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "troupe/actors/sim/world/delivery_log.hpp"
#include "troupe/actors/sim/world/event_heap.hpp"

namespace troupe {

/// Runs the actors of all nodes in one thread, one message at a time: draws the next actor from the
/// seed among those with messages. Knows the node of each actor, to delay those of frozen and slow
/// nodes.
///
/// An actor belongs to the node that it was assigned to, else to the node of the actor or work that
/// spawned it. Actors of no node are never delayed.
class NodeScheduler final : private caf::execution_unit {
 public:
  using Node = SimulatedNode;
  using Work = std::function<void()>;

  NodeScheduler(caf::actor_system& system, EventHeap& events, uint64_t seed);
  /// Terminates the actors of nodes that have messages: in CAF a message in a mailbox keeps its
  /// sender alive, so that such actors could keep each other alive forever.
  ~NodeScheduler() override;
  NodeScheduler(const NodeScheduler&) = delete;

  Node add_node();
  /// Assigns an actor to a node. Must be called before the actor runs, as what it has spawned is
  /// not reassigned.
  void assign(Node node, const caf::strong_actor_ptr& actor);
  /// Runs work of the node outside of its actors: once it thaws if it is frozen, never after a
  /// crash. Actors that the work spawns belong to the node.
  void run_as(Node node, Work work);

  bool is_alive(Node node) const { return nodes_[node].alive; }
  bool is_frozen(Node node) const { return nodes_[node].frozen; }
  double slowness(Node node) const { return nodes_[node].slowness; }

  /// Marks the node as dead and lets its actors run without delay, so that they can terminate.
  void crash(Node node);
  void freeze(Node node) { nodes_[node].frozen = nodes_[node].alive; }
  void thaw(Node node);
  /// The node takes `factor` microseconds for each message, one after the other; none if it is 1.
  void slow(Node node, double factor);

  /// Runs actors until none has a message that it may handle now.
  void run();

  /// For messages delivered from outside: schedules the actors that they wake here.
  caf::execution_unit* unit() { return this; }

 private:
  struct NodeState {
    bool alive = true;
    bool frozen = false;
    bool is_busy = false;  // handle_next() is in the event heap
    double slowness = 1;
    std::vector<caf::resumable*> waiting;  // actors with messages, while it is frozen or slow
    std::vector<Work> deferred;            // work, while it is frozen
  };

  void exec_later(caf::resumable* actor) override { ready_.push_back(actor); }
  void take_woken_actors();
  void assign_new_actors(Node node);
  Node node_of(const caf::resumable* actor) const;
  caf::resumable* draw_from(std::vector<caf::resumable*>& actors);
  void resume(Node node, caf::resumable* actor);
  void defer(Node node, caf::resumable* actor);
  void handle_next(Node node);
  void wake_all(Node node);

  caf::scheduler::test_coordinator& scheduler_;
  EventHeap& events_;
  std::mt19937_64 random_;
  std::vector<NodeState> nodes_;
  std::vector<Node> node_of_actor_;  // by actor id
  std::vector<caf::resumable*> ready_;
};

}  // namespace troupe
