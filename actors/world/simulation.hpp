#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "troupe/actors/world/world.hpp"

namespace troupe {

/// How a simulated network behaves when nothing is broken.
struct NetworkOptions {
  std::chrono::nanoseconds latency_min{20'000};
  std::chrono::nanoseconds latency_max{80'000};
  /// A refused connection is tried again after this.
  std::chrono::milliseconds retry{100};
};

/// Many nodes in one actor system and one thread: a seeded heap of events under a virtual clock.
/// What a node's actors say to those of another crosses a simulated link; all else they do as in a
/// real cluster. The same seed gives the same history.
///
/// SM-1: messages from one node to another arrive in the order in which they were sent.
/// SM-2: nothing that a crashed node says arrives, however its actors end.
class Simulation {
 public:
  using Node = int;
  using Time = std::chrono::nanoseconds;  // since the start
  using Work = std::function<void()>;

  Simulation(caf::actor_system& system, uint64_t seed, NetworkOptions options);
  ~Simulation();
  Simulation(const Simulation&) = delete;

  caf::actor_system& system() { return system_; }
  uint64_t random() { return random_(); }
  Time now() const { return now_; }

  /// Runs `work` at that time, or at once if that is over.
  void at(Time time, Work work);
  void after(Time delay, Work work) { at(now_ + delay, std::move(work)); }

  /// Goes on until `stop` is true, the time is `limit`, or nothing is left to happen. True in the
  /// first case.
  bool run(const std::function<bool()>& stop, Time limit);

  /// A new node. Its actors get this world.
  Node add_node();
  std::shared_ptr<World> world_of(Node node);
  /// Makes an actor what others find at an address.
  void serve(Node node, const Address& address, caf::strong_actor_ptr task);

  /// The node is gone: nothing reaches it or leaves it, and who has links to it hears of that.
  void crash(Node node);
  /// It stands still, as by SIGSTOP: what arrives waits; nothing tells the others.
  void freeze(Node node);
  void thaw(Node node);
  /// What one says to the other waits until heal(), as behind a lost route; one direction only.
  void cut(Node from, Node to);
  void heal(Node from, Node to);

  /// Of all that was delivered, when and to whom: equal for equal histories.
  uint64_t trace_hash() const { return trace_hash_; }
  uint64_t messages_delivered() const { return messages_delivered_; }

  // For the simulation's own links and worlds:

  /// What `viewer` holds to speak to an actor of another node.
  caf::strong_actor_ptr link(Node viewer, Node owner, const caf::strong_actor_ptr& actor);
  void transmit(Node from, Node to, caf::strong_actor_ptr target, caf::mailbox_element_ptr what);
  void connect(Node from, const Address& address, Time deadline, const World::Connected& done);

 private:
  struct Event {
    Time time;
    uint64_t number;
    Work work;
    bool operator<(const Event& other) const {  // the heap's top is the earliest
      return std::tie(other.time, other.number) < std::tie(time, number);
    }
  };
  struct NodeState {
    bool alive = true;
    bool frozen = false;
    std::vector<Work> arrived_while_frozen;
    std::map<caf::actor_id, caf::strong_actor_ptr> links;  // that it holds, by target
    std::map<caf::actor_id, Node> owners;                  // of the links' targets
  };
  struct Direction {
    Time last_arrival{0};
    bool cut = false;
    std::vector<Work> held;
  };

  Time draw_latency();
  void deliver(
      Node from, Node to, const caf::strong_actor_ptr& target, caf::mailbox_element_ptr what);
  void arrive(Node from, Node to, Work work);
  void note(Node from, Node to, const caf::message& content);
  void drop_link(Node viewer, caf::actor_id target);
  caf::message as_seen_by(Node viewer, Node owner, caf::message content);
  void run_actors();
  bool step(Time limit);

  caf::actor_system& system_;
  caf::scheduler::test_coordinator& scheduler_;
  std::mt19937_64 random_;
  NetworkOptions options_;
  Time now_{0};
  uint64_t next_event_ = 0;
  std::priority_queue<Event> events_;
  std::vector<NodeState> nodes_;
  std::map<std::pair<Node, Node>, Direction> directions_;
  std::map<Address, std::pair<Node, caf::strong_actor_ptr>> served_;
  uint64_t trace_hash_ = 14695981039346656037u;
  uint64_t messages_delivered_ = 0;
};

}  // namespace troupe
