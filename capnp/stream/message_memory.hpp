#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Below this size, a copy costs less than the bookkeeping of shared memory.
inline constexpr size_t share_bytes_min = size_t{64} << 10;

/// The memory that the messages of one connection share with tensors, so that large tensors are
/// sent and received without a copy. Used on the thread that runs the connection's event loop; only
/// the pointers that owner_of() returns may be released on any thread.
class MessageMemory : public std::enable_shared_from_this<MessageMemory> {
 public:
  /// Large messages and tensors that are received get their memory from the allocator, whose limit
  /// bounds them. It must outlive all of them.
  explicit MessageMemory(Allocator& allocator = heap_allocator()) : allocator_(allocator) {}

  Allocator& allocator() const { return allocator_; }

  /// Whether the other end accepts TensorSources. Set before tensors are sent, if at all.
  bool takes_sources() const { return takes_sources_; }
  void set_takes_sources(bool takes) { takes_sources_ = takes; }

  /// Keeps `tensor` alive until the segment that references its memory at `begin` has been written.
  void add_external_segment(const void* begin, Tensor tensor) {
    external_segments_.emplace(begin, std::move(tensor));
  }
  /// Called when the segment at `begin` has been written; ignores other segments.
  void release_external_segment(const void* begin) {
    auto found = external_segments_.find(begin);
    if (found != external_segments_.end()) external_segments_.erase(found);
  }
  size_t external_segment_count() const { return external_segments_.size(); }

  /// Reserves bytes that are to be read from TensorSources, until the pointer is dropped; null
  /// where the connection would exceed protocol::pending_source_bytes_max. (Their tensors are
  /// allocated at once: without the limit, a client could exhaust the address space.)
  std::shared_ptr<void> reserve_source_bytes(uint64_t bytes) {
    if (bytes > protocol::pending_source_bytes_max - pending_source_bytes_) return nullptr;
    pending_source_bytes_ += bytes;
    return {
        this, [self = shared_from_this(), bytes](void*) { self->pending_source_bytes_ -= bytes; }};
  }

  /// Registers a received message whose memory may be shared, until remove_message().
  void add_message(std::shared_ptr<std::byte[]> memory, size_t bytes) {
    auto* begin = memory.get();
    messages_[begin] = {std::move(memory), bytes};
  }
  void remove_message(const std::byte* begin) { messages_.erase(begin); }
  /// A pointer that keeps the message alive that contains those bytes. Null if they are less than a
  /// quarter of it: a tensor should then copy them instead of holding the whole message.
  std::shared_ptr<std::byte[]> owner_of(const void* begin, size_t bytes) const {
    auto next = messages_.upper_bound(static_cast<const std::byte*>(begin));
    if (next == messages_.begin()) return nullptr;
    const auto& message = std::prev(next)->second;
    bool inside = begin < message.memory.get() + message.bytes;
    return inside && bytes >= message.bytes / 4 ? message.memory : nullptr;
  }

 private:
  struct Message {
    std::shared_ptr<std::byte[]> memory;
    size_t bytes;
  };
  Allocator& allocator_;
  bool takes_sources_ = false;
  uint64_t pending_source_bytes_ = 0;
  std::multimap<const void*, Tensor> external_segments_;  // not written yet
  std::map<const std::byte*, Message> messages_;
};

/// What one message under construction may still hold without a copy: references to the memory of
/// tensors, as external segments. Such a tensor is kept alive until its message is written, or
/// until the connection ends if it never is.
struct ExternalSegmentBudget {
  MessageMemory* memory = nullptr;  // null: everything is copied
  int segments_left = 256;          // a message may have 512, its own included
  // A tensor that exceeds them is sent as a TensorSource.
  uint64_t bytes_left = std::numeric_limits<uint64_t>::max();
};

}  // namespace troupe
