#pragma once

#include <deque>
#include <map>
#include <random>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/world/delivery_log.hpp"
#include "troupe/actors/world/event_heap.hpp"
#include "troupe/actors/world/network_options.hpp"

namespace troupe {

/// What all ways of a simulated network share.
struct Medium {
  caf::actor_system& system;
  EventHeap& events;
  caf::execution_unit* unit;  // where those run that a message wakes
  NetworkOptions options;
  std::mt19937_64 random;
  DeliveryLog log;

  EventHeap::Time draw_latency() { return options.latency.draw(random); }
};

/// One direction between two nodes: carries what `from` says to `to`, and has the links that `from`
/// says it to. A link is, for CAF, a remote actor: its id is that of the actor it leads to, its
/// node() is one of the node it leads to, the same for all that speak to this life of that node.
///
/// SM-1: messages from one node to another arrive in the order in which they were sent.
class Way {
 public:
  Way(Medium& medium, SimulatedNode from, SimulatedNode to);
  ~Way();
  Way(const Way&) = delete;

  /// Where the answers come. Each way has one before anything is sent.
  void set_back(Way& back) { back_ = &back; }
  Way& back() { return *back_; }

  /// What `from` holds to speak to an actor of `to`.
  caf::strong_actor_ptr link_to(const caf::strong_actor_ptr& actor);

  bool is_cut() const { return is_cut_; }
  /// What is on its way and what is said from now on waits until heal().
  void cut() { is_cut_ = true; }
  void heal();

  /// The connection is over: what is on its way is lost, and what is said to the links of now goes
  /// nowhere. `from` does not know that yet.
  void disconnect();
  /// `from` hears that the connections before this one are over: their links end.
  void end_lost_links();
  /// `from` is gone, and will never hear of anything.
  void sever_links();
  /// Tells `to` something beside the messages, in order with them.
  void send_notice(EventHeap::Work notice);

 private:
  class Link;

  /// A message to an actor, or a notice.
  struct Parcel {
    EventHeap::Time sent;
    MessageFacts facts;
    caf::strong_actor_ptr target;
    caf::mailbox_element_ptr message;
    EventHeap::Work notice;
  };

  void send(const Link& link, caf::mailbox_element_ptr message);
  void send_again_later(
      const MessageFacts& facts, const caf::strong_actor_ptr& target,
      const caf::mailbox_element& message);
  void put_under_way(Parcel parcel);
  void arrive(uint64_t connection);
  void deliver(Parcel& parcel);
  void translate(Parcel& parcel);
  void lose(const Parcel& parcel);
  void note(const Parcel& parcel, bool lost);
  void target_ended(const Link& link, const caf::error& reason);
  void end(caf::strong_actor_ptr link, caf::error reason);

  Medium& medium_;
  SimulatedNode from_;
  SimulatedNode to_;
  caf::node_id id_of_to_;
  Way* back_ = nullptr;
  bool is_cut_ = false;
  uint64_t connection_ = 0;     // counts
  EventHeap::Time sent_at_{0};  // the last of it, as far as the bandwidth allowed
  EventHeap::Time last_arrival_{0};
  std::deque<Parcel> under_way_;
  std::deque<Parcel> held_;                               // by the cut
  std::map<caf::actor_id, caf::strong_actor_ptr> links_;  // of this connection, by target
  std::vector<caf::strong_actor_ptr> lost_links_;         // of those before
};

}  // namespace troupe
