#include "troupe/actors/link/link_inbox.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/graph/types/shared_file.hpp"

namespace troupe {

using accelerator::FillingMemory;

namespace {

Result<Tensor> allocate_bytes(uint64_t bytes, Allocator& allocator) {
  Shape shape({static_cast<int64_t>(bytes)});
  if (auto tensor = Tensor::allocate(DType::uint8, shape, allocator)) return tensor;
  return Tensor::allocate(DType::uint8, shape);
}

}  // namespace

LinkInbox::LinkInbox(
    Allocator& allocator, uint64_t granted_bytes_max, Received received, Grant grant)
    : allocator_(allocator),
      granted_bytes_max_(granted_bytes_max),
      received_(std::move(received)),
      grant_(std::move(grant)) {}

bool LinkInbox::set_memory(std::shared_ptr<SharedFile> memory, Return give_back) {
  if (memory_) return false;
  memory_ = std::move(memory);
  give_back_ = std::move(give_back);
  return true;
}

bool LinkInbox::add_region(uint64_t number, std::shared_ptr<accelerator::PeerMemory> region) {
  return regions_.emplace(number, Region{.file = memory_, .memory = std::move(region)}).second;
}

/// Of the memory that a tensor is lent from; 0 where there is none.
uint64_t LinkInbox::lent_bytes(uint64_t region) const {
  if (region == 0) return memory_ ? memory_->bytes() : 0;
  auto found = regions_.find(region);
  return found == regions_.end() ? 0 : found->second.memory->bytes();
}

Status LinkInbox::check_lent(const MessageFrame& frame) const {
  for (const auto& lent : frame.lent) {
    auto bytes = frame.tensor_bytes[lent.tensor];
    auto bytes_max = lent_bytes(lent.region);
    if (bytes_max == 0 || lent.offset > bytes_max || bytes > bytes_max - lent.offset ||
        lent.offset % Allocator::alignment != 0)
      return invalid_argument("a lent tensor outside of the memory that is mapped");
  }
  return {};
}

Tensor LinkInbox::borrow(const LentTensor& lent, uint64_t bytes) const {
  Shape shape({static_cast<int64_t>(bytes)});
  if (lent.region != 0) {
    const auto& region = regions_.at(lent.region);
    auto release = [region, give_back = give_back_, number = lent.number] { give_back(number); };
    return Tensor::alias(
        DType::uint8, shape, region.memory->data() + lent.offset, release, region.memory.get());
  }
  return Tensor::alias(
      DType::uint8, shape, memory_->data() + lent.offset,
      [memory = memory_, give_back = give_back_, number = lent.number] { give_back(number); },
      &lent_memory());
}

Status LinkInbox::allocate(Incoming& incoming) const {
  auto content = allocate_bytes(incoming.frame.content_bytes, heap_allocator());
  if (!content) return content.status();
  incoming.memory.content = *std::move(content);
  auto lent = incoming.frame.lent.begin();
  for (uint32_t i = 0; i < incoming.frame.tensor_bytes.size(); ++i) {
    if (lent != incoming.frame.lent.end() && lent->tensor == i) {
      incoming.memory.out_of_band.emplace_back();
      ++lent;
      continue;
    }
    auto bytes = incoming.frame.tensor_bytes[i];
    auto tensor = allocate_bytes(bytes, allocator_);
    if (!tensor) return tensor.status();
    incoming.memory.out_of_band.push_back(*std::move(tensor));
  }
  return {};
}

Status LinkInbox::message(MessageFrame frame, FrameReader::Spans& body) {
  if (auto status = check_lent(frame); !status.ok()) return status;
  if (frame.transfer == 0) {
    auto bytes = frame.bytes();
    inline_ = {.frame = std::move(frame), .memory = {}};
    if (auto status = allocate(inline_); !status.ok()) return status;
    add_spans(inline_, 0, bytes, body);
    add_padding(bytes, body);
    piece_of_ = 0;
    return {};
  }
  announced_tensors_ += frame.tensor_bytes.size();
  if (announced_.size() >= link_limits::announced_max ||
      announced_tensors_ > link_limits::announced_tensors_max)
    return invalid_argument("more messages were announced than may wait");
  announced_.push_back(std::move(frame));
  return grant_next();
}

Status LinkInbox::grant_next() {
  while (!announced_.empty()) {
    auto bytes = announced_.front().bytes();
    if (!granted_.empty() &&
        bytes > granted_bytes_max_ - std::min(granted_bytes_, granted_bytes_max_))
      return {};
    Incoming incoming{.frame = std::move(announced_.front()), .memory = {}};
    announced_.pop_front();
    announced_tensors_ -= incoming.frame.tensor_bytes.size();
    if (auto status = allocate(incoming); !status.ok()) return status;
    auto transfer = incoming.frame.transfer;
    if (!granted_.emplace(transfer, std::move(incoming)).second)
      return invalid_argument("two messages are announced as the same transfer");
    granted_bytes_ += bytes;
    grant_(transfer);
  }
  return {};
}

Status LinkInbox::piece(const PieceFrame& frame, FrameReader::Spans& body) {
  auto found = granted_.find(frame.transfer);
  if (found == granted_.end()) return invalid_argument("a piece that was not granted");
  auto& incoming = found->second;
  if (frame.bytes > incoming.frame.bytes() - incoming.received)
    return invalid_argument("a piece that is longer than its message");
  add_spans(incoming, incoming.received, frame.bytes, body);
  add_padding(frame.bytes, body);
  incoming.received += frame.bytes;
  piece_of_ = frame.transfer;
  return {};
}

Status LinkInbox::withdrawn(uint64_t transfer) {
  if (auto granted = granted_.extract(transfer)) {
    granted_bytes_ -= granted.mapped().frame.bytes();
    fail(granted.mapped());
    return grant_next();
  }
  auto found = std::ranges::find(announced_, transfer, &MessageFrame::transfer);
  if (found == announced_.end()) return invalid_argument("the withdrawal of no transfer");
  announced_tensors_ -= found->tensor_bytes.size();
  announced_.erase(found);
  return grant_next();
}

void LinkInbox::clear() {
  for (const auto& [transfer, incoming] : std::exchange(granted_, {})) fail(incoming);
  announced_.clear();
  inline_ = {};
  granted_bytes_ = announced_tensors_ = 0;
  regions_.clear();
  memory_ = nullptr;
}

Status LinkInbox::body_received() {
  if (piece_of_ == 0) return finish(std::exchange(inline_, {}));
  auto found = granted_.find(piece_of_);
  if (found->second.received < found->second.frame.bytes()) return give_part(found->second);
  auto incoming = std::move(granted_.extract(found).mapped());
  granted_bytes_ -= incoming.frame.bytes();
  if (auto status = grant_next(); !status.ok()) return status;
  return incoming.filling.empty() ? finish(std::move(incoming)) : give_part(incoming);
}

/// Gives a message in part to its receiver, once its content is there, and then more of its
/// tensors.
Status LinkInbox::give_part(Incoming& incoming) {
  const auto& [content, tensors] = incoming.memory;
  if (!incoming.frame.in_part || tensors.empty() || incoming.received < content.bytes()) return {};
  if (incoming.filling.empty()) {
    for (const auto& tensor : tensors) incoming.filling.push_back(FillingMemory::begin(tensor));
    auto status = received_(incoming.frame, {content, incoming.filling});
    if (!status.ok()) return status;
  }
  auto ready = incoming.received - content.bytes();
  for (const auto& tensor : incoming.filling) {
    auto bytes = std::min<uint64_t>(ready, tensor.bytes());
    auto* memory = FillingMemory::of(tensor);
    if (bytes > memory->ready_bytes()) memory->set_ready(bytes);
    ready -= bytes;
  }
  return {};
}

void LinkInbox::fail(const Incoming& incoming) {
  for (const auto& tensor : incoming.filling)
    if (FillingMemory::is_filling(tensor)) FillingMemory::of(tensor)->fail();
}

Status LinkInbox::finish(Incoming incoming) {
  // Not sooner: what is withdrawn is not given back.
  for (const auto& lent : incoming.frame.lent)
    incoming.memory.out_of_band[lent.tensor] =
        borrow(lent, incoming.frame.tensor_bytes[lent.tensor]);
  return received_(incoming.frame, std::move(incoming.memory));
}

void LinkInbox::add_spans(
    const Incoming& incoming, uint64_t begin, uint64_t size, FrameReader::Spans& body) {
  auto add_part = [&](Tensor tensor) {
    auto skipped = std::min<uint64_t>(begin, tensor.bytes());
    auto taken = std::min<uint64_t>(tensor.bytes() - skipped, size);
    begin -= skipped;
    size -= taken;
    body.emplace_back(
        static_cast<std::byte*>(tensor.mutable_raw()) + skipped, static_cast<size_t>(taken));
  };
  add_part(incoming.memory.content);
  for (const auto& tensor : incoming.memory.out_of_band)
    if (tensor.is_set()) add_part(tensor);
}

void LinkInbox::add_padding(uint64_t size, FrameReader::Spans& body) {
  body.emplace_back(padding_, padding_of(size));
}

}  // namespace troupe
