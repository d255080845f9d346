#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/world/network.hpp"
#include "troupe/actors/world/node_clock.hpp"
#include "troupe/actors/world/node_scheduler.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// Many nodes in one actor system and one thread, under a virtual clock. What a node's actors say
/// to those of another crosses a simulated network; all else they do as in a real cluster. Whose
/// turn it is, how long a message takes, and all else that is random follows from the seed: the
/// same seed gives the same history.
///
/// SM-2: nothing that a crashed node says arrives, however its actors end.
class Simulation {
 public:
  using Node = SimulatedNode;  // one life of it: who restarts is another node
  using Time = EventHeap::Time;
  using Work = EventHeap::Work;

  /// The system's scheduler must be CAF's "testing" one.
  Simulation(caf::actor_system& system, uint64_t seed, const NetworkOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;

  caf::actor_system& system() { return system_; }
  uint64_t random() { return random_(); }
  Time now() const { return events_.now(); }

  /// Runs `work` at that time, or at once if that is over.
  void at(Time time, Work work) { events_.at(time, std::move(work)); }
  void after(Time delay, Work work) { events_.after(delay, std::move(work)); }

  /// Goes on until `stop` is true, the time is `limit`, or nothing is left to happen. True in the
  /// first case.
  bool run(const std::function<bool()>& stop, Time limit);
  /// Called after each event, when all actors have done what they could do then.
  void on_event(Work check) { check_ = std::move(check); }

  /// A new node. Its actors get this world.
  Node add_node();
  std::shared_ptr<World> world_of(Node node);
  /// Makes an actor what others find at an address, and that incarnation what a probe does. It and
  /// all that it spawns are actors of the node; to be called before it runs.
  void serve(
      Node node, const Address& address, caf::strong_actor_ptr task, uint64_t incarnation = 0);
  /// Does something as the node: what is spawned meanwhile are actors of the node.
  void act_as(Node node, Work work) { scheduler_.act(node, std::move(work)); }
  /// Something that the node's device does beside its actors: waits while the node is frozen, takes
  /// longer when it is slow, and is never done after a crash.
  void device_work(Node node, Time delay, Work work);

  /// From now on, for all that is sent.
  void set_network(const NetworkOptions& options) { network_.set_options(options); }
  /// What one says to the other waits until heal(), as behind a lost route; one direction only.
  void cut(Node from, Node to) { network_.cut(from, to); }
  void heal(Node from, Node to) { network_.heal(from, to); }
  /// The connection between them is lost, with all that is on its way in both directions. Each
  /// hears of that in its own time; they may connect again.
  void break_link(Node a, Node b) { network_.break_link(a, b); }

  /// The node is gone: nothing reaches it or leaves it, and who has links to it hears of that,
  /// unless the way is cut.
  void crash(Node node);
  /// It stands still, as by SIGSTOP: its actors and its device do nothing, what arrives waits, and
  /// nothing tells the others. When it thaws, all that happens at once.
  void freeze(Node node) { scheduler_.freeze(node); }
  void thaw(Node node) { scheduler_.thaw(node); }
  /// Its device takes `factor` times as long, and its actors that many microseconds for a message;
  /// no time at all where the factor is 1.
  void slow(Node node, double factor) { scheduler_.slow(node, factor); }
  /// Its clock runs that much faster, from now on and without a jump. A timer that was set before
  /// never ends before its time, but may end after it.
  void skew(Node node, double rate) { clocks_[node].set_rate(rate, now()); }

  /// Of all that was delivered, what, when and to whom: equal for equal histories.
  uint64_t trace_hash() const { return network_.log().hash(); }
  uint64_t messages_delivered() const { return network_.log().delivered(); }
  /// The last few hundred deliveries and losses, oldest first, but for heartbeats.
  std::deque<Delivery> recent() const { return network_.log().recent(system_); }

 private:
  class NodeWorld;
  struct Served {
    Node node;
    caf::strong_actor_ptr task;
    uint64_t incarnation;
  };
  /// Somebody's wish to connect.
  struct Attempt {
    Node from;
    Address address;
    Time begun;
    Time deadline;
    World::Connected done;
  };

  bool step(Time limit);
  void wake_at(Node node, Time reading, const caf::strong_actor_ptr& to, caf::message message);
  void connect_soon(std::shared_ptr<const Attempt> attempt);
  void connect(const std::shared_ptr<const Attempt>& attempt);
  Time there_and_back() { return network_.draw_latency() + network_.draw_latency(); }
  bool answers(Node from, const Served& served);
  void probe(Node from, const Address& address, Time timeout, World::Probed done);

  caf::actor_system& system_;
  EventHeap events_;
  NodeScheduler scheduler_;
  SimulatedNetwork network_;
  std::mt19937_64 random_;
  std::vector<NodeClock> clocks_;  // by node
  std::map<Address, Served> served_;
  Work check_;
};

}  // namespace troupe
