#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/sim/world/network.hpp"
#include "troupe/actors/sim/world/node_clock.hpp"
#include "troupe/actors/sim/world/node_scheduler.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// Many nodes in one actor system and one thread, under a virtual clock. Messages between actors of
/// different nodes cross links as in a real cluster, over simulated connections. The
/// scheduling of actors, latencies and all other random choices follow from the seed: the same seed
/// gives the same history.
///
/// SM-2: no message that the actors of a crashed node send while they terminate arrives.
class Simulation {
 public:
  using Node = SimulatedNode;  // a task that restarts is a new node
  using Time = EventHeap::Time;
  using Work = EventHeap::Work;

  /// The system's scheduler must be CAF's "testing" one.
  Simulation(caf::actor_system& system, uint64_t seed, const NetworkOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;

  caf::actor_system& system() { return system_; }
  uint64_t random() { return random_(); }
  Time now() const { return events_.now(); }

  /// Runs `work` at that time, or at once if the time has passed.
  void at(Time time, Work work) { events_.at(time, std::move(work)); }
  void after(Time delay, Work work) { events_.after(delay, std::move(work)); }

  /// Runs until `stop` returns true, the time is `limit`, or no event is left. True in the first
  /// case.
  bool run(const std::function<bool()>& stop, Time limit);
  /// Sets what is called after each event, once no actor has a message to handle.
  void on_event(Work check) { check_ = std::move(check); }

  /// Adds a node. Its actors get world_of() it.
  Node add_node();
  std::shared_ptr<World> world_of(Node node);
  /// Has the node accept connections at an address: they find the task actor, probes get the
  /// incarnation, tensors that arrive have memory of the allocator, which must outlive this.
  /// Assigns the actor to the node; must be called before it runs, and before the node connects to
  /// others.
  void serve(
      Node node, const Address& address, caf::strong_actor_ptr task, uint64_t incarnation = 0,
      Allocator& allocator = heap_allocator());
  /// Runs work of the node. Actors that it spawns belong to the node.
  void run_as(Node node, Work work) { scheduler_.run_as(node, std::move(work)); }
  /// Runs work of the node's device after the delay: later while the node is frozen, after a longer
  /// delay if it is slow, never after a crash.
  void device_work(Node node, Time delay, Work work);

  /// Takes effect for what is sent from now on.
  void set_network(const NetworkOptions& options) { network_.set_options(options); }
  /// Holds all that is sent in one direction until heal(), as if the route were lost.
  void cut(Node from, Node to) { network_.cut(from, to); }
  void heal(Node from, Node to) { network_.heal(from, to); }
  /// Breaks the connection between two nodes at any byte of what is under way. Each notices after a
  /// latency of its own; they may connect again.
  void break_link(Node a, Node b) { network_.break_link(a, b); }

  /// Stops the node: messages neither reach nor leave it. Peers notice the lost connection unless
  /// their channel from the node is cut.
  void crash(Node node);
  /// Suspends the node, as by SIGSTOP: its actors and its device do nothing, messages to it wait,
  /// and peers are not notified. When it thaws, everything that is due runs at once.
  void freeze(Node node) { scheduler_.freeze(node); }
  void thaw(Node node) { scheduler_.thaw(node); }
  /// Makes the device take `factor` times as long, and the actors `factor` microseconds for each
  /// message; 1 is normal speed, where messages take no time.
  void slow(Node node, double factor) { scheduler_.slow(node, factor); }
  /// Sets the rate of the node's clock, without a jump. A timer that was set before never fires
  /// early by that clock, but may fire late.
  void skew(Node node, double rate) { clocks_[node].set_rate(rate, now()); }
  /// Makes each timer that is set from now on late by up to that time, as on a busy machine.
  void delay_timers(Time most) { timer_delay_max_ = most; }

  /// Hash of all delivered messages with their times and nodes: equal for equal histories.
  uint64_t trace_hash() const { return network_.log().hash(); }
  uint64_t messages_delivered() const { return network_.log().delivered(); }
  uint64_t probes_sent() const { return probes_sent_; }
  /// The latest few hundred deliveries and losses except heartbeats, oldest first.
  std::deque<Delivery> recent() const { return network_.log().recent(system_); }

 private:
  class NodeWorld;
  bool step(Time limit);
  void wake_at(Node node, Time reading, const caf::strong_actor_ptr& to, caf::message message);
  Time round_trip() { return network_.draw_latency() + network_.draw_latency(); }
  bool is_reachable(Node from, Node node) const;
  void probe(Node from, const Address& address, Time timeout, World::Probed done);

  caf::actor_system& system_;
  EventHeap events_;
  NodeScheduler scheduler_;
  SimulatedNetwork network_;
  std::mt19937_64 random_;
  std::mt19937_64 timer_random_;
  Time timer_delay_max_{0};
  uint64_t probes_sent_ = 0;
  std::vector<NodeClock> clocks_;  // by node
  Work check_;
};

}  // namespace troupe
