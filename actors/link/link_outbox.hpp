#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "troupe/actors/link/frame.hpp"
#include "troupe/actors/link/wire_message.hpp"
#include "troupe/graph/types/shared_file.hpp"

namespace troupe {

/// Messages of the same target and step stay in their order; those of others may pass them.
struct MessageOrder {
  uint64_t target = 0;
  uint64_t session = 0;
  uint64_t step = 0;
  bool passes = false;  // also those of its own order, as a cancellation does
  bool is_tensors = false;

  auto key() const { return std::tuple(target, session, step); }
  /// Of a session and of none of its steps.
  bool is_of_session() const { return session != 0 && step == 0; }
};

/// What a peer may still read.
struct LentMemory {
  Tensors tensors;
  std::vector<std::shared_ptr<const accelerator::SharedRegion>> regions;  // that it may have open

  bool empty() const { return tensors.empty() && regions.empty(); }
};

/// What one end of a link is still to write. Frames and small messages leave in the order in which
/// they were added. A message of more than `inline_bytes` is announced, waits for its grant, and
/// leaves in pieces by turns with others, whenever nothing small waits: so nothing small waits for
/// more than one piece.
///
/// LK-1: messages of one order arrive as they were added, except for those that pass. A message of
/// a session and of none of its steps arrives after all earlier ones of the session to that target.
/// LK-2: EndedFrame of an actor is sent after all messages that were begun before.
///
/// LK-3: of a tensor that is still being written (accelerator::FillingMemory) only bytes leave that
/// are ready. A transfer whose next piece is not leaves its turn to others; one that fails is
/// withdrawn.
///
/// Not thread-safe.
class LinkOutbox {
 public:
  explicit LinkOutbox(const LinkSizes& sizes) : sizes_(sizes) {}

  void add(const Frame& frame);
  void add_after_transfers(const Frame& frame);
  /// No pieces leave after it, and what is added later need not.
  void add_last(const Frame& frame);
  /// `frame` without its transfer and sizes; `in_part`: it may be given to its receiver before all
  /// tensors have arrived.
  void add(MessageFrame frame, WireMessage message, const MessageOrder& order);
  /// The peer has granted a transfer. False: there was none of that number.
  bool grant(uint64_t transfer);
  using Discarded = std::vector<std::shared_ptr<const void>>;
  /// Offers the peer that memory to map: `use` is the end of a pipe that it is to keep open.
  void offer(const std::shared_ptr<SharedFile>& file, Descriptor use);
  /// From now on tensors that lie in that file are lent and not sent.
  void lend_from(std::shared_ptr<SharedFile> file) { lent_file_ = std::move(file); }
  /// Whether a tensor of the host's memory is lent once it is full.
  bool lends_memory_of(const Tensor& tensor) const {
    return lent_file_ && lent_file_->contains(tensor.raw());
  }
  /// Whether tensors of that region of a card may be lent, which they must be: they are never sent.
  /// The peer is offered a region that it does not know, once it has mapped a file.
  bool lends(const std::shared_ptr<const accelerator::SharedRegion>& region);
  /// The peer has opened a region. False: there is none of that number.
  bool opened(uint64_t region);
  /// A tensor that was lent and is no more; unset if there is none of that number.
  Tensor take_back(uint64_t number);
  /// All of them, and all regions.
  LentMemory take_lent();
  /// Drops the large tensors of that order that are not written in full: their step has ended. The
  /// peer is told, so that it forgets what has arrived. Returns their memory.
  Discarded discard(const MessageOrder& order);

  /// Removes the next bytes to write: all that is small up to `bytes_max`, and a piece if then
  /// nothing small is left. Empty: nothing can be written now. Something may be once memory of a
  /// transfer has changed.
  std::vector<WireSlice> take(size_t bytes_max);

  uint64_t unwritten_bytes() const { return unwritten_bytes_; }

 private:
  struct Outgoing {
    MessageFrame frame;
    std::shared_ptr<const WireMessage> message;
    MessageOrder order;
    bool is_filling = false;  // it has tensors of FillingMemory
    uint64_t written = 0;
  };
  struct Order {
    int transfers = 0;  // begun and not written in full
    std::deque<Outgoing> waiting;
  };

  /// Of a card, by its number from 1.
  struct Region {
    std::shared_ptr<const accelerator::SharedRegion> memory;
    bool is_open = false;
  };

  void add(WireSlice slice);
  void lend(MessageFrame& frame, const Tensors& tensors);
  std::optional<LentTensor> place_of(const Tensor& tensor) const;
  void add_bytes(const Outgoing& message, uint64_t begin, uint64_t size);
  bool has_to_wait(const MessageOrder& order) const;
  void begin(Outgoing message);
  void announce(Outgoing message);
  void announce_next();
  uint64_t oldest_transfer() const;
  void add_what_waited();
  void add_withdrawal(const Outgoing& message);
  void add_piece(Outgoing& message);
  void add_next_piece();
  void end_transfer(const MessageOrder& order);

  LinkSizes sizes_;
  bool has_last_ = false;
  std::deque<WireSlice> slices_;
  uint64_t unwritten_bytes_ = 0;  // of slices_
  uint64_t last_transfer_ = 0;
  std::map<uint64_t, Outgoing> announced_;
  std::deque<Outgoing> granted_;  // by turns
  std::deque<Outgoing> unannounced_;
  std::deque<Outgoing> sessions_waiting_;                   // of LK-1
  std::deque<std::pair<uint64_t, Frame>> after_transfers_;  // up to that number
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, Order> orders_;
  std::shared_ptr<SharedFile> lent_file_;
  std::unordered_map<uint64_t, Tensor> lent_;
  uint64_t last_lent_ = 0;
  std::vector<Region> regions_;
};

}  // namespace troupe
