#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/link/frame_reader.hpp"
#include "troupe/actors/link/link_inbox.hpp"
#include "troupe/actors/link/link_outbox.hpp"
#include "troupe/actors/world/message_facts.hpp"

namespace troupe {

/// The connection under a link. Its owner reads from the stream into Link::space(), and writes what
/// Link::output() gives; both on the thread of the link.
class LinkStream {
 public:
  virtual ~LinkStream() = default;
  /// There is output, or the link is overfull. From any thread.
  virtual void wake() = 0;
  /// Ends the connection after the output that there is. Only on the link's thread.
  virtual void close() = 0;
  /// Whether descriptors pass with the bytes, to a process of the same user.
  virtual bool passes_descriptors() const { return false; }
  /// Keeps `lent` alive until the peer has closed its end of the pipe `lease`, as until then it may
  /// read it. Called when the link ends, where it passed descriptors; only on the link's thread.
  virtual void keep_lent(LentMemory lent, Descriptor lease) {}
  /// For logs: a message was given to the link, from any thread, and one has arrived, on the link's
  /// thread.
  virtual void on_sent(const MessageFacts& facts) {}
  virtual void on_received(const caf::mailbox_element& message) {}
};

/// What links of one node share.
struct LinkSettings {
  caf::actor_system& system;
  caf::execution_unit* unit = nullptr;  // runs the actors that messages wake; null: the scheduler's
  Allocator& allocator;                 // of tensors that arrive
  LinkSizes sizes = {};
  accelerator::OpenRegion open_region = {};  // of peers; unset: this node has no card
  std::function<void(const std::string& line)> log = {};
};

/// A connection between the actors of two nodes: it serializes and sends what is enqueued at its
/// proxies of the peer's actors, and delivers what the peer sends to actors of this node that it
/// has a handle of. It is made with the connection; LinkSet handles the frames that open it.
///
/// A link that ends terminates its proxies, which notifies monitors, and answers the requests that
/// are pending over it with an error: a message is delivered, or its sender hears of the loss.
///
/// Thread-safe where it says so; otherwise used on one thread, that of its connection.
class Link final : public HandleTable, public std::enable_shared_from_this<Link> {
 public:
  /// Handles the frames that open and close the link.
  using OnOpening = std::function<Status(Link& link, const Frame& frame)>;

  Link(const LinkSettings& settings, LinkStream& stream, OnOpening on_opening);
  ~Link() override;

  // For the owner of the connection:

  std::span<std::byte> space() { return reader_.space(); }
  /// An error ends the link; the owner passes it to end().
  Status received(size_t bytes) { return reader_.received(bytes); }
  /// A descriptor came with bytes that received() is told of next.
  void received(Descriptor descriptor);
  std::vector<WireSlice> output();
  /// The peer has left more unread than unwritten_bytes_max: the owner ends the connection.
  bool is_overfull();
  /// The connection has ended. The stream is not used any more.
  void end(const Status& why);
  /// Nothing is read into space() any more.
  void release_input();

  // For LinkSet:

  /// Makes actors of the peer addressable. `node` and `root_actor` are what it says of itself.
  Status open(const ProcessIdentity& node, uint64_t root_actor, uint64_t number);
  bool is_open() const { return is_open_; }
  const ProcessIdentity& peer() const { return peer_; }
  uint64_t number() const { return number_; }
  /// The peer's root actor. The link is open.
  caf::strong_actor_ptr root() { return handle_of(root_actor_); }
  /// Thread-safe.
  void send(const Frame& frame);
  /// Whether a message to that actor may have a tensor that lies in a card's memory, or that is not
  /// full yet. The former where the actor is one of another process which has opened the region:
  /// once it may, it always may, as long as the link of that handle lasts. The latter where it is
  /// one of another process and the tensor would not be lent. Thread-safe.
  static bool lends_to(const caf::strong_actor_ptr& to, const Tensor& tensor);
  /// Sends the reason and closes the connection.
  void close(const std::string& why);

  // HandleTable; thread-safe:

  uint64_t number_of(const caf::strong_actor_ptr& actor) override;
  caf::strong_actor_ptr handle_of(uint64_t number) override;

 private:
  class Proxy;
  /// A request of this node, by its sender and the id of the response.
  using RequestKey = std::pair<caf::actor_id, uint64_t>;

  bool send(const Proxy& proxy, const caf::mailbox_element& element);
  void wake();
  void on_filled();
  Status on_frame(Frame frame, FrameReader::Spans& body);
  Status on_message(const MessageFrame& frame, ReceivedMessage message);
  void offer_memory();
  Status on_memory(const MemoryFrame& frame);
  Status on_mapped();
  Status on_returned(uint64_t number);
  Status on_region(const RegionFrame& frame);
  Status on_opened(const OpenedFrame& frame);
  void note_copies(const Status& why);
  void log(const std::string& line) const;
  bool lends(const Tensor& tensor);
  void on_ended(uint64_t actor);
  void export_ended(caf::actor_id actor);

  const LinkSettings settings_;
  const OnOpening on_opening_;
  LinkInbox inbox_;
  FrameReader reader_;
  bool is_open_ = false;
  ProcessIdentity peer_;
  caf::node_id peer_id_;
  uint64_t root_actor_ = 0;
  uint64_t number_ = 0;
  std::vector<Descriptor> descriptors_;
  std::shared_ptr<SharedFile> memory_;  // that the peer is offered
  Descriptor
      lease_pipe_;  // readable once the peer has closed its end: it does not use memory_ any more

  std::atomic<bool> has_noted_copies_ = false;

  std::mutex mutex_;    // for what follows
  LinkStream* stream_;  // null when it has ended
  bool is_awake_ = false;
  LinkOutbox outbox_;
  std::unordered_map<uint64_t, caf::strong_actor_ptr> proxies_;
  std::unordered_map<uint64_t, caf::strong_actor_ptr> exports_;
  std::map<RequestKey, caf::weak_actor_ptr> requests_;
  size_t requests_kept_ = 0;  // when those of senders that have ended were last removed
};

}  // namespace troupe
