#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "troupe/actors/link/link_set.hpp"
#include "troupe/actors/sim/world/delivery_log.hpp"
#include "troupe/actors/sim/world/event_heap.hpp"
#include "troupe/actors/sim/world/network_options.hpp"
#include "troupe/actors/sim/world/node_scheduler.hpp"

namespace troupe {

/// What all connections of a simulated network share.
struct NetworkState {
  caf::actor_system& system;
  EventHeap& events;
  NodeScheduler& scheduler;
  NetworkOptions options;
  std::mt19937_64 random;
  DeliveryLog log = {};
  std::set<std::pair<SimulatedNode, SimulatedNode>> cuts = {};  // directions

  EventHeap::Time draw_latency() { return options.latency.draw(random); }
  bool is_cut(SimulatedNode from, SimulatedNode to) const { return cuts.contains({from, to}); }
};

/// One end of a simulated TCP connection: takes what its link writes to the other end, as segments
/// that arrive in their order, each after a latency and the time of its bytes. A segment ends at
/// any byte, and a connection that breaks loses all from any byte on.
///
/// The two ends are made as a pair by SimulatedNetwork.
class ConnectionEnd final : public LinkStream, public std::enable_shared_from_this<ConnectionEnd> {
 public:
  ConnectionEnd(NetworkState& network, SimulatedNode node, SimulatedNode peer_node)
      : network_(network), node_(node), peer_node_(peer_node) {}

  void set_other(const std::shared_ptr<ConnectionEnd>& other) { other_ = other; }
  /// Begins to read and write. `links` made the link, and is told of its end.
  void start(LinkSet& links, std::shared_ptr<Link> link);

  void wake() override;
  void close() override;
  void on_sent(const MessageFacts& facts) override;
  void on_received(const caf::mailbox_element& message) override;

  /// The connection has broken: of what is under way from here a random part still arrives, not
  /// all.
  void lose_bytes();
  /// This end notices it after a latency.
  void notice_break_later();
  /// The process of this end has gone; its links, too.
  void crash();
  /// The direction from here is not cut any more.
  void heal();
  /// Nothing comes of it any more.
  bool is_over() const { return has_ended_ && in_flight_.empty() && held_.empty(); }

 private:
  /// Bytes on their way, or the end of the connection after all bytes.
  struct Segment {
    std::vector<std::byte> bytes;
    std::optional<Status> end = std::nullopt;
  };
  struct Sent {
    EventHeap::Time time;
    MessageFacts facts;
  };

  void write();
  void send(const std::vector<WireSlice>& slices);
  void enqueue(Segment segment);
  void arrive();
  void pass_on(Segment segment);
  void receive(const Segment& segment);
  void received_by_peer(size_t bytes);
  void end(const Status& why);
  void send_end(const Status& why);
  void log(const Sent& sent, bool lost) const;
  void log_lost();

  NetworkState& network_;
  const SimulatedNode node_;
  const SimulatedNode peer_node_;
  std::weak_ptr<ConnectionEnd> other_;
  LinkSet* links_ = nullptr;
  std::shared_ptr<Link> link_;
  bool is_woken_ = false;
  bool is_closing_ = false;
  bool is_broken_ = false;
  bool has_ended_ = false;

  // The direction from here:
  EventHeap::Time sent_until_{0};  // when the bandwidth has let the last byte out
  EventHeap::Time last_arrival_{0};
  std::deque<Segment> in_flight_;
  std::deque<Segment> held_;   // arrived at a cut
  size_t unread_bytes_ = 0;    // by the other end
  std::deque<Sent> messages_;  // given to the link here, and not received there
};

}  // namespace troupe
