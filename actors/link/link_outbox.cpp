#include "troupe/actors/link/link_outbox.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

using accelerator::FillingMemory;

bool is_filling(const WireMessage& message) {
  return std::ranges::any_of(message.out_of_band, FillingMemory::of);
}

bool has_failed(const WireMessage& message) {
  return std::ranges::any_of(message.out_of_band, [](const Tensor& tensor) {
    auto* memory = FillingMemory::of(tensor);
    return memory && memory->has_failed();
  });
}

/// The tensors of a message that are sent, which are those that are not lent.
template <class Use>
void for_each_sent(const MessageFrame& frame, const WireMessage& message, const Use& use) {
  auto lent = frame.lent.begin();
  for (uint32_t i = 0; i < message.out_of_band.size(); ++i) {
    if (lent != frame.lent.end() && lent->tensor == i) ++lent;
    else use(message.out_of_band[i]);
  }
}

/// The bytes of a message before the first one that is not ready.
uint64_t ready_bytes(const MessageFrame& frame, const WireMessage& message) {
  uint64_t all = message.content.size();
  bool is_full = true;
  for_each_sent(frame, message, [&](const Tensor& tensor) {
    if (!is_full) return;
    auto* memory = FillingMemory::of(tensor);
    auto ready = memory ? memory->ready_bytes() : tensor.bytes();
    all += ready;
    is_full = ready == tensor.bytes();
  });
  return all;
}

}  // namespace

void LinkOutbox::add(WireSlice slice) {
  if (slice.size == 0 || has_last_) return;
  unwritten_bytes_ += slice.size;
  slices_.push_back(std::move(slice));
}

void LinkOutbox::add(const Frame& frame) { add(encode(frame)); }

void LinkOutbox::add_last(const Frame& frame) {
  add(frame);
  has_last_ = true;
}

void LinkOutbox::add(MessageFrame frame, WireMessage message, const MessageOrder& order) {
  frame.content_bytes = message.content.size();
  for (const auto& tensor : message.out_of_band) frame.tensor_bytes.push_back(tensor.bytes());
  if (lent_file_) lend(frame, message.out_of_band);
  frame.in_part &= frame.lent.empty() && frame.bytes() >= sizes_.in_part_bytes_min;
  auto fills = is_filling(message);
  Outgoing outgoing{
      .frame = std::move(frame),
      .message = std::make_shared<const WireMessage>(std::move(message)),
      .order = order,
      .is_filling = fills};
  if (order.passes || !has_to_wait(order)) return begin(std::move(outgoing));
  if (order.is_of_session()) sessions_waiting_.push_back(std::move(outgoing));
  else orders_.at(order.key()).waiting.push_back(std::move(outgoing));
}

void LinkOutbox::offer(const std::shared_ptr<SharedFile>& file, Descriptor use) {
  auto slice = encode(MemoryFrame{file->bytes()});
  slice.descriptors = {file->descriptor().number(), use.number()};
  // They are open until the frame is written.
  using Owners = std::tuple<std::shared_ptr<const void>, std::shared_ptr<SharedFile>, Descriptor>;
  slice.owner = std::make_shared<Owners>(slice.owner, file, std::move(use));
  add(std::move(slice));
}

/// Where it lies in the file or in a region.
std::optional<LentTensor> LinkOutbox::place_of(const Tensor& tensor) const {
  auto offset_from = [at = static_cast<const std::byte*>(tensor.raw())](const void* begin) {
    return static_cast<uint64_t>(at - static_cast<const std::byte*>(begin));
  };
  if (tensor.memory() == MemoryKind::device) {
    auto found = std::ranges::find_if(regions_, [&](const auto& region) {
      return region.is_open && region.memory->contains(tensor.raw());
    });
    CHECK(found != regions_.end());
    return LentTensor{
        .offset = offset_from(found->memory->begin),
        .region = static_cast<uint64_t>(found - regions_.begin()) + 1};
  }
  if (!lends_memory_of(tensor) || FillingMemory::of(tensor)) return {};
  auto offset = offset_from(lent_file_->data());
  if (offset % Allocator::alignment != 0) return {};
  return LentTensor{.offset = offset};
}

void LinkOutbox::lend(MessageFrame& frame, const Tensors& tensors) {
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    auto place = place_of(tensors[i]);
    if (!place) continue;
    place->tensor = i;
    place->number = ++last_lent_;
    frame.lent.push_back(*place);
    lent_.emplace(last_lent_, tensors[i]);
  }
}

bool LinkOutbox::lends(const std::shared_ptr<const accelerator::SharedRegion>& region) {
  auto found = std::ranges::find(regions_, region, &Region::memory);
  if (found != regions_.end()) return found->is_open;
  if (!lent_file_ || has_last_ || regions_.size() >= link_limits::regions_max) return false;
  regions_.push_back({.memory = region});
  add(RegionFrame{.number = regions_.size(), .name = region->name});
  return false;
}

bool LinkOutbox::opened(uint64_t region) {
  if (region == 0 || region > regions_.size()) return false;
  return !std::exchange(regions_[region - 1].is_open, true);
}

Tensor LinkOutbox::take_back(uint64_t number) {
  auto lent = lent_.extract(number);
  return lent ? std::move(lent.mapped()) : Tensor();
}

LentMemory LinkOutbox::take_lent() {
  LentMemory lent;
  for (auto& [number, tensor] : lent_) lent.tensors.push_back(std::move(tensor));
  lent_.clear();
  for (auto& region : regions_) lent.regions.push_back(std::move(region.memory));
  regions_.clear();
  return lent;
}

bool LinkOutbox::has_to_wait(const MessageOrder& order) const {
  auto found = orders_.lower_bound(order.key());
  if (found == orders_.end()) return false;
  if (found->first == order.key()) return true;
  const auto& [target, session, step] = found->first;
  return order.is_of_session() && target == order.target && session == order.session;
}

void LinkOutbox::add_after_transfers(const Frame& frame) {
  if (orders_.empty()) add(frame);
  else after_transfers_.emplace_back(last_transfer_, frame);
}

void LinkOutbox::begin(Outgoing message) {
  auto bytes = message.frame.bytes();
  auto is_held_back =
      bytes > link_limits::small_bytes_max && unwritten_bytes_ > link_limits::backlog_bytes_max;
  if (bytes <= sizes_.inline_bytes && !is_held_back && !message.is_filling) {
    add(message.frame);
    add_bytes(message, 0, bytes);
    return;
  }
  ++orders_[message.order.key()].transfers;
  message.frame.transfer = ++last_transfer_;
  if (announced_.size() < sizes_.announced_at_once) announce(std::move(message));
  else unannounced_.push_back(std::move(message));
}

void LinkOutbox::announce(Outgoing message) {
  add(message.frame);
  announced_.emplace(message.frame.transfer, std::move(message));
}

bool LinkOutbox::grant(uint64_t transfer) {
  auto announced = announced_.extract(transfer);
  if (!announced) return transfer != 0 && transfer <= last_transfer_;  // it was withdrawn
  granted_.push_back(std::move(announced.mapped()));
  announce_next();
  return true;
}

void LinkOutbox::announce_next() {
  while (!unannounced_.empty() && announced_.size() < sizes_.announced_at_once) {
    auto next = std::move(unannounced_.front());
    unannounced_.pop_front();
    announce(std::move(next));
  }
}

LinkOutbox::Discarded LinkOutbox::discard(const MessageOrder& order) {
  Discarded discarded;
  std::vector<uint64_t> known;  // to the peer
  auto is_of_order = [&](const Outgoing& message) {
    if (!message.order.is_tensors || message.order.key() != order.key()) return false;
    for (const auto& lent : message.frame.lent) lent_.erase(lent.number);
    discarded.push_back(message.message);
    return true;
  };
  auto is_known_of_order = [&](const Outgoing& message) {
    if (!is_of_order(message)) return false;
    known.push_back(message.frame.transfer);
    return true;
  };
  std::erase_if(announced_, [&](const auto& entry) { return is_known_of_order(entry.second); });
  std::erase_if(granted_, is_known_of_order);
  std::erase_if(unannounced_, is_of_order);
  if (discarded.empty()) return discarded;
  for (auto transfer : known) add(WithdrawnFrame{transfer});
  for (size_t i = 0; i < discarded.size(); ++i) end_transfer(order);
  add_what_waited();
  announce_next();
  return discarded;
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
  for_each_sent(message.frame, *message.message, [&](const Tensor& tensor) {
    add_part(tensor.raw(), tensor.bytes());
  });
  add(padding_slice(padding));
}

/// The message ends when the frame is written: its memory is not released by this call.
void LinkOutbox::add_withdrawal(const Outgoing& message) {
  auto slice = encode(WithdrawnFrame{message.frame.transfer});
  using Owners = std::pair<std::shared_ptr<const void>, std::shared_ptr<const WireMessage>>;
  slice.owner = std::make_shared<Owners>(slice.owner, message.message);
  add(std::move(slice));
}

/// Adds the next piece of a message if it is ready.
void LinkOutbox::add_piece(Outgoing& message) {
  auto size = std::min<uint64_t>(message.frame.bytes() - message.written, sizes_.piece_bytes);
  auto is_ready = !message.is_filling ||
                  ready_bytes(message.frame, *message.message) >= message.written + size;  // LK-3
  if (!is_ready) return;
  add(PieceFrame{message.frame.transfer, static_cast<uint32_t>(size)});
  add_bytes(message, message.written, size);
  message.written += size;
}

/// Adds a piece of the first message that has one ready, which has its next turn after all others.
void LinkOutbox::add_next_piece() {
  for (auto turns = granted_.size(); turns > 0 && slices_.empty(); --turns) {
    auto message = std::move(granted_.front());
    granted_.pop_front();
    auto failed = message.is_filling && has_failed(*message.message);
    if (failed) add_withdrawal(message);
    else add_piece(message);
    if (failed || message.written == message.frame.bytes()) {
      end_transfer(message.order);
      add_what_waited();
    } else {
      granted_.push_back(std::move(message));
    }
  }
}

std::vector<WireSlice> LinkOutbox::take(size_t bytes_max) {
  if (slices_.empty() && !has_last_) add_next_piece();
  std::vector<WireSlice> taken;
  for (size_t bytes = 0; !slices_.empty() && bytes < bytes_max;) {
    // A descriptor passes with the first byte that is written with it.
    if (!slices_.front().descriptors.empty() && !taken.empty()) break;
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

uint64_t LinkOutbox::oldest_transfer() const {
  auto oldest = last_transfer_ + 1;
  if (!announced_.empty()) oldest = announced_.begin()->first;
  for (const auto& message : granted_) oldest = std::min(oldest, message.frame.transfer);
  if (!unannounced_.empty()) oldest = std::min(oldest, unannounced_.front().frame.transfer);
  return oldest;
}

/// What waited for transfers that have ended.
void LinkOutbox::add_what_waited() {
  for (auto& message : std::exchange(sessions_waiting_, {})) {
    if (has_to_wait(message.order)) sessions_waiting_.push_back(std::move(message));
    else begin(std::move(message));
  }
  for (auto oldest = oldest_transfer();
       !after_transfers_.empty() && after_transfers_.front().first < oldest;
       after_transfers_.pop_front())
    add(after_transfers_.front().second);
}

}  // namespace troupe
