#pragma once

#include <functional>
#include <random>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "troupe/actors/world/delivery_log.hpp"
#include "troupe/actors/world/event_heap.hpp"

namespace troupe {

/// Runs the actors of all nodes in one thread, one message at a time: whose turn it is, is drawn
/// from the seed among those that have something to do. Knows which actor is of which node, so that
/// a node can stand still or be slow.
///
/// An actor is of the node that it was adopted into, or of that of whoever spawned it. Actors of
/// no node run like those of a node that is well.
class NodeScheduler final : private caf::execution_unit {
 public:
  using Node = SimulatedNode;
  using Work = std::function<void()>;

  NodeScheduler(caf::actor_system& system, EventHeap& events, uint64_t seed);
  /// Ends the actors of nodes that have something to do: in CAF, what is in an actor's mailbox
  /// keeps its sender alive, so that they may never end by themselves.
  ~NodeScheduler() override;
  NodeScheduler(const NodeScheduler&) = delete;

  Node add_node();
  /// Only before the actor has run, or what it has spawned stays behind.
  void adopt(Node node, const caf::strong_actor_ptr& actor);
  /// Does what the node does beside its actors: when it thaws if it is frozen, never after a crash.
  void act(Node node, Work work);

  bool is_alive(Node node) const { return nodes_[node].alive; }
  bool is_frozen(Node node) const { return nodes_[node].frozen; }
  double slowness(Node node) const { return nodes_[node].slowness; }

  /// The actors of the node run on, however slow or frozen it was: they have their ends to see to.
  void crash(Node node);
  void freeze(Node node) { nodes_[node].frozen = nodes_[node].alive; }
  void thaw(Node node);
  /// A message is handled `factor` microseconds after the node has done with the one before; at
  /// once where the factor is 1.
  void slow(Node node, double factor);

  /// Lets all actors run until none has anything to do now.
  void run();

  /// The place where those run that a delivered message wakes.
  caf::execution_unit* unit() { return this; }

 private:
  struct NodeState {
    bool alive = true;
    bool frozen = false;
    bool handles = false;  // the end of what it handles is in the heap
    double slowness = 1;
    std::vector<caf::resumable*> waiting;  // woken actors, while it is frozen or slow
    std::vector<Work> held;                // while it is frozen
  };

  void exec_later(caf::resumable* actor) override { ready_.push_back(actor); }
  void take_woken();
  void claim_new_actors(Node node);
  Node node_of(const caf::resumable* actor) const;
  caf::resumable* draw_from(std::vector<caf::resumable*>& actors);
  void resume(Node node, caf::resumable* actor);
  void make_wait(Node node, caf::resumable* actor);
  void handle_next(Node node);
  void wake_all(Node node);

  caf::scheduler::test_coordinator& scheduler_;
  EventHeap& events_;
  std::mt19937_64 random_;
  std::vector<NodeState> nodes_;
  std::vector<Node> node_of_actor_;  // by the actors' ids
  std::vector<caf::resumable*> ready_;
};

}  // namespace troupe
