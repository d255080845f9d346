#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "troupe/actors/link/frame_reader.hpp"
#include "troupe/actors/link/wire_message.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe {

/// The messages that one end of a link is receiving. Memory for a message is taken when it is
/// granted, not when it is announced, and no more than `granted_bytes_max` is granted at a time,
/// but for one message of any size. Not thread-safe.
///
/// LI-1: a message in part is given to its receiver when its content is there, with tensors of
/// accelerator::FillingMemory, which fail if the message is withdrawn or the connection ends.
class LinkInbox {
 public:
  using Received = std::function<Status(const MessageFrame& frame, ReceivedMessage message)>;
  using Grant = std::function<void(uint64_t transfer)>;
  /// Called when a lent tensor is not used any more, on any thread, even after the LinkInbox.
  using Return = std::function<void(uint64_t number)>;

  /// Allocates tensors from the allocator, or from the heap where that is full: to drop the message
  /// instead would leave its receiver waiting. The kernels then report that memory is full.
  LinkInbox(Allocator& allocator, uint64_t granted_bytes_max, Received received, Grant grant);
  ~LinkInbox() { clear(); }

  /// The memory of the peer, of which messages lend parts. False: there is one already.
  bool set_memory(std::shared_ptr<SharedFile> memory, Return give_back);
  bool has_memory() const { return memory_ != nullptr; }
  /// A region of the peer's cards, from then on as its memory. False: there is one of that number.
  bool add_region(uint64_t number, std::shared_ptr<accelerator::PeerMemory> region);

  // For FrameReader. InvalidArgument where the peer breaks the protocol; ResourceExhausted where
  // there is no memory.
  Status message(MessageFrame frame, FrameReader::Spans& body);
  Status piece(const PieceFrame& frame, FrameReader::Spans& body);
  Status withdrawn(uint64_t transfer);
  Status body_received();
  /// Forgets what was announced or received in part, and the memory of the peer.
  void clear();

 private:
  struct Incoming {
    MessageFrame frame;
    ReceivedMessage memory;
    uint64_t received = 0;
    Tensors filling = {};  // the tensors as the receiver has them, of a message in part
  };

  /// It is closed before the file, so that the peer knows.
  struct Region {
    std::shared_ptr<SharedFile> file;
    std::shared_ptr<accelerator::PeerMemory> memory;
  };

  uint64_t lent_bytes(uint64_t region) const;
  Status check_lent(const MessageFrame& frame) const;
  Status allocate(Incoming& incoming) const;
  Tensor borrow(const LentTensor& lent, uint64_t bytes) const;
  Status grant_next();
  static void add_spans(
      const Incoming& incoming, uint64_t begin, uint64_t size, FrameReader::Spans& body);
  void add_padding(uint64_t size, FrameReader::Spans& body);
  Status give_part(Incoming& incoming);
  static void fail(const Incoming& incoming);
  Status finish(Incoming incoming);

  Allocator& allocator_;
  const uint64_t granted_bytes_max_;
  Received received_;
  Grant grant_;
  Return give_back_;
  std::shared_ptr<SharedFile> memory_;
  std::map<uint64_t, Region> regions_;
  std::map<uint64_t, Incoming> granted_;
  uint64_t granted_bytes_ = 0;
  std::deque<MessageFrame> announced_;
  size_t announced_tensors_ = 0;
  Incoming inline_;        // the message whose bytes are being read, or
  uint64_t piece_of_ = 0;  // the transfer that they belong to
  std::byte padding_[8] = {};
};

}  // namespace troupe
