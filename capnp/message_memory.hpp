#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

/// Below that, a copy costs less than the bookkeeping of shared memory.
inline constexpr size_t share_bytes_min = size_t{64} << 10;

/// The memory that the messages of one connection share with tensors, so that large tensors go out
/// and come in without a copy. Belongs to the thread that runs the connection's event loop; only
/// the memory that owner_of() hands out may be let go by any thread.
class MessageMemory : public std::enable_shared_from_this<MessageMemory> {
 public:
  /// Whether the other end takes tensors in pieces. Set before tensors are sent, if at all.
  bool takes_sources() const { return takes_sources_; }
  void set_takes_sources(bool takes) { takes_sources_ = takes; }

  /// Keeps `tensor` until the piece of it that begins there has been written.
  void lend(const void* begin, Tensor tensor) { lent_.emplace(begin, std::move(tensor)); }
  /// The piece of a message that begins there has been written.
  void written(const void* begin) {
    if (auto found = lent_.find(begin); found != lent_.end()) lent_.erase(found);
  }
  size_t lent_count() const { return lent_.size(); }

  /// The right to await so many bytes from sources, until it is dropped; null where the connection
  /// awaits too many already. (Nobody must be able to use up the process's addresses.)
  std::shared_ptr<void> claim(uint64_t bytes) {
    if (bytes > protocol::awaited_bytes_max - awaited_bytes_) return nullptr;
    awaited_bytes_ += bytes;
    return {this, [self = shared_from_this(), bytes](void*) { self->awaited_bytes_ -= bytes; }};
  }

  /// A message came in, and lies there until remove_message().
  void add_message(std::shared_ptr<std::byte[]> memory, size_t bytes) {
    auto* begin = memory.get();
    messages_[begin] = {std::move(memory), bytes};
  }
  void remove_message(const std::byte* begin) { messages_.erase(begin); }
  /// What keeps the message alive in which those bytes lie, or null where they are so small a part
  /// of it that they had better be copied than hold all the rest.
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
  bool takes_sources_ = false;
  uint64_t awaited_bytes_ = 0;
  std::multimap<const void*, Tensor> lent_;
  std::map<const std::byte*, Message> messages_;
};

/// The right of one message under construction to lend tensors' memory. A tensor that is lent is
/// held until its message is written, or to the connection's end if it never is.
struct Lender {
  MessageMemory* memory = nullptr;  // null: everything is copied
  int pieces_left = 256;            // each is a segment, of which a message may have 512
  // What does not fit in goes as a TensorSource.
  uint64_t bytes_left = std::numeric_limits<uint64_t>::max();
};

}  // namespace troupe
