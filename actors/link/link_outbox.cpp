#include "troupe/actors/link/link_outbox.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void LinkOutbox::add(WireSlice slice) {
  if (slice.size == 0) return;
  unwritten_bytes_ += slice.size;
  slices_.push_back(std::move(slice));
}

void LinkOutbox::add(const Frame& frame) { add(encode(frame)); }

void LinkOutbox::add(MessageFrame frame, WireMessage message, const MessageOrder& order) {
  frame.content_bytes = message.content.size();
  for (const auto& tensor : message.beside) frame.tensor_bytes.push_back(tensor.bytes());
  Outgoing outgoing{
      .frame = std::move(frame),
      .message = std::make_shared<const WireMessage>(std::move(message)),
      .order = order};
  auto found = orders_.find(order.key());
  if (found != orders_.end() && !order.passes) found->second.waiting.push_back(std::move(outgoing));
  else begin(std::move(outgoing));
}

void LinkOutbox::begin(Outgoing message) {
  auto bytes = message.frame.bytes();
  if (bytes <= link_limits::inline_bytes_max) {
    add(message.frame);
    add_bytes(message, 0, bytes);
    return;
  }
  ++orders_[message.order.key()].transfers;
  message.frame.transfer = ++last_transfer_;
  add(message.frame);
  announced_.emplace(message.frame.transfer, std::move(message));
}

bool LinkOutbox::grant(uint64_t transfer) {
  auto announced = announced_.extract(transfer);
  if (!announced) return false;
  granted_.push_back(std::move(announced.mapped()));
  return true;
}

/// Adds bytes of the message, which may end in one tensor and begin in another, and the padding.
void LinkOutbox::add_bytes(const Outgoing& message, uint64_t begin, uint64_t size) {
  auto padding = padding_of(size);
  auto add_part = [&](const void* data, uint64_t bytes) {
    auto skipped = std::min(begin, bytes);
    auto taken = std::min(bytes - skipped, size);
    begin -= skipped;
    size -= taken;
    add({static_cast<const char*>(data) + skipped, static_cast<size_t>(taken), message.message});
  };
  add_part(message.message->content.data(), message.message->content.size());
  for (const auto& tensor : message.message->beside) add_part(tensor.raw(), tensor.bytes());
  add(padding_slice(padding));
}

void LinkOutbox::add_piece(Outgoing& message) {
  auto size =
      std::min<uint64_t>(message.frame.bytes() - message.written, link_limits::piece_bytes_max);
  add(PieceFrame{message.frame.transfer, static_cast<uint32_t>(size)});
  add_bytes(message, message.written, size);
  message.written += size;
}

std::vector<WireSlice> LinkOutbox::take(size_t bytes_max) {
  if (slices_.empty() && !granted_.empty()) {
    auto message = std::move(granted_.front());
    granted_.pop_front();
    add_piece(message);
    if (message.written == message.frame.bytes()) end_transfer(message.order);
    else granted_.push_back(std::move(message));
  }
  std::vector<WireSlice> taken;
  for (size_t bytes = 0; !slices_.empty() && bytes < bytes_max;) {
    bytes += slices_.front().size;
    taken.push_back(std::move(slices_.front()));
    slices_.pop_front();
  }
  for (const auto& slice : taken) unwritten_bytes_ -= slice.size;
  return taken;
}

void LinkOutbox::end_transfer(const MessageOrder& order) {
  auto found = orders_.find(order.key());
  --found->second.transfers;
  while (found->second.transfers == 0) {
    if (found->second.waiting.empty()) return void(orders_.erase(found));
    auto next = std::move(found->second.waiting.front());
    found->second.waiting.pop_front();
    begin(std::move(next));
  }
}

void LinkOutbox::clear() { *this = LinkOutbox(); }

}  // namespace troupe
