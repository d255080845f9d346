#pragma once

#include <deque>
#include <map>
#include <random>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/sim/world/delivery_log.hpp"
#include "troupe/actors/sim/world/event_heap.hpp"
#include "troupe/actors/sim/world/network_options.hpp"

namespace troupe {

/// What all channels of a simulated network share.
struct NetworkState {
  caf::actor_system& system;
  EventHeap& events;
  caf::execution_unit* unit;  // runs the actors that a delivered message wakes
  NetworkOptions options;
  std::mt19937_64 random;
  DeliveryLog log;

  EventHeap::Time draw_latency() { return options.latency.draw(random); }
};

/// One direction between two nodes: delivers messages from actors of `from` to actors of `to`.
///
/// It also owns the proxies: for each actor of `to` that `from` has a handle of, a CAF actor_proxy
/// with the actor's id and a node_id that stands for `to`, the same in every channel that leads to
/// that node. A message enqueued at a proxy is sent over the channel.
///
/// Each loss of the connection begins a new connection number. Proxies and messages belong to the
/// connection under which they were made, and proxies of an earlier one send nothing.
///
/// SM-1: messages from one node to another arrive in the order in which they were sent.
class Channel {
 public:
  Channel(NetworkState& network, SimulatedNode from, SimulatedNode to);
  ~Channel();
  Channel(const Channel&) = delete;

  /// Sets the channel for replies, from `to` to `from`. Must be called before anything is sent.
  void set_reverse(Channel& reverse) { reverse_ = &reverse; }
  Channel& reverse() { return *reverse_; }

  /// The handle through which `from` sends to an actor of `to`.
  caf::strong_actor_ptr proxy_of(const caf::strong_actor_ptr& actor);

  bool is_cut() const { return is_cut_; }
  /// Holds messages in flight, and those sent from now on, until heal().
  void cut() { is_cut_ = true; }
  void heal();

  /// Loses the connection with all messages in flight. `from` has not noticed yet: its proxies stay
  /// alive and drop what is sent to them until end_lost_proxies().
  void disconnect();
  /// `from` notices that earlier connections were lost: their proxies terminate, which fails
  /// pending requests and notifies monitors.
  void end_lost_proxies();
  /// Disables all proxies without notifying anybody: `from` has crashed.
  void disable_proxies();
  /// Runs `notice` at `to`, in order with the messages.
  void send_notice(EventHeap::Work notice);

 private:
  class Proxy;

  /// A message to an actor, or a notice.
  struct MessageInFlight {
    EventHeap::Time sent;
    MessageFacts facts;
    caf::strong_actor_ptr target;
    caf::mailbox_element_ptr element;  // empty for a notice
    EventHeap::Work notice;
  };

  void send(const Proxy& proxy, caf::mailbox_element_ptr element);
  void send_duplicate_later(
      const MessageFacts& facts, const caf::strong_actor_ptr& target,
      const caf::mailbox_element& element);
  void enqueue(MessageInFlight message);
  void arrive(uint64_t connection);
  void deliver(MessageInFlight& message);
  void translate_handles(MessageInFlight& message);
  void lose(const MessageInFlight& message);
  void log(const MessageInFlight& message, bool lost);
  void target_ended(const Proxy& proxy, const caf::error& reason);
  void end(caf::strong_actor_ptr proxy, caf::error reason);

  NetworkState& network_;
  SimulatedNode from_;
  SimulatedNode to_;
  caf::node_id id_of_to_;
  Channel* reverse_ = nullptr;
  bool is_cut_ = false;
  uint64_t connection_ = 0;        // number of the present connection
  EventHeap::Time sent_until_{0};  // when the bandwidth has let the last message out
  EventHeap::Time last_arrival_{0};
  std::deque<MessageInFlight> in_flight_;
  std::deque<MessageInFlight> held_;                        // arrived at a cut
  std::map<caf::actor_id, caf::strong_actor_ptr> proxies_;  // of this connection, by target
  std::vector<caf::strong_actor_ptr> lost_proxies_;         // of earlier connections
};

}  // namespace troupe
