#include "troupe/actors/sim/world/connection_end.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {
namespace {

/// What the systems of both ends hold of one direction.
constexpr size_t unread_bytes_max = size_t{256} << 10;
/// One of so many writes is cut in two.
constexpr uint64_t writes_per_cut = 8;

bool is_same(const MessageFacts& a, const MessageFacts& b) {
  return a.type == b.type && a.is_reply == b.is_reply && a.session == b.session &&
         a.step == b.step && a.edges == b.edges && a.code == b.code;
}

Status peer_closed() { return unavailable("the peer closed the connection"); }

}  // namespace

void ConnectionEnd::start(LinkSet& links, std::shared_ptr<Link> link) {
  links_ = &links;
  link_ = std::move(link);
  wake();
}

// -- writing

/// May be called with the link's lock held, so the bytes are taken by an event of its own.
void ConnectionEnd::wake() {
  if (std::exchange(is_woken_, true)) return;
  network_.events.after(EventHeap::Time(0), [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self) self->network_.scheduler.run_as(self->node_, [self] { self->write(); });
  });
}

void ConnectionEnd::close() {
  is_closing_ = true;
  wake();
}

void ConnectionEnd::write() {
  is_woken_ = false;
  if (has_ended_ || !link_) return;
  if (link_->is_overfull()) return end(unavailable("the peer does not read"));
  while (unread_bytes_ < unread_bytes_max) {
    auto slices = link_->output();
    if (!slices.empty()) send(slices);
    else if (is_closing_) return end(unavailable("this node has closed the link"));
    else return;
  }
}

void ConnectionEnd::send(const std::vector<WireSlice>& slices) {
  std::vector<std::byte> bytes;
  for (const auto& slice : slices) {
    const auto* data = static_cast<const std::byte*>(slice.data);
    bytes.insert(bytes.end(), data, data + slice.size);
  }
  unread_bytes_ += bytes.size();
  if (bytes.size() > 1 && network_.random() % writes_per_cut == 0) {
    auto size = static_cast<ptrdiff_t>(1 + network_.random() % (bytes.size() - 1));
    enqueue({.bytes = {bytes.begin(), bytes.begin() + size}});
    bytes.erase(bytes.begin(), bytes.begin() + size);
  }
  enqueue({.bytes = std::move(bytes)});
}

void ConnectionEnd::enqueue(Segment segment) {
  if (is_broken_) return;
  sent_until_ = std::max(sent_until_, network_.events.now());
  if (auto rate = network_.options.bytes_per_second; rate > 0)
    sent_until_ += EventHeap::Time(static_cast<int64_t>(
        1e9 * static_cast<double>(segment.bytes.size()) / static_cast<double>(rate)));
  last_arrival_ = std::max(sent_until_ + network_.draw_latency(), last_arrival_);  // SM-1
  in_flight_.push_back(std::move(segment));
  network_.events.at(last_arrival_, [self = shared_from_this()] { self->arrive(); });
}

// -- reading

void ConnectionEnd::arrive() {
  if (in_flight_.empty()) return;  // what this event stood for is lost
  auto segment = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (network_.is_cut(node_, peer_node_)) held_.push_back(std::move(segment));
  else pass_on(std::move(segment));
}

void ConnectionEnd::heal() {
  for (auto& segment : std::exchange(held_, {})) pass_on(std::move(segment));
}

void ConnectionEnd::pass_on(Segment segment) {
  auto other = other_.lock();
  if (!other) return;
  network_.scheduler.run_as(
      peer_node_, [other, segment = std::move(segment)] { other->receive(segment); });
}

void ConnectionEnd::receive(const Segment& segment) {
  if (has_ended_ || !link_) return;
  if (segment.end) return end(*segment.end);
  for (std::span rest(segment.bytes); !rest.empty() && !has_ended_;) {
    auto space = link_->space();
    auto size = std::min(space.size(), rest.size());
    std::memcpy(space.data(), rest.data(), size);
    rest = rest.subspan(size);
    if (auto status = link_->received(size); !status.ok()) {
      if (status.code() != Code::unavailable) link_->close(status.message());
      write();
      return end(status);
    }
  }
  if (auto other = other_.lock()) other->received_by_peer(segment.bytes.size());
}

void ConnectionEnd::received_by_peer(size_t bytes) {
  unread_bytes_ -= std::min(bytes, unread_bytes_);
  if (!has_ended_) wake();
}

// -- ending

void ConnectionEnd::end(const Status& why) {
  if (std::exchange(has_ended_, true)) return;
  if (auto other = other_.lock()) other->log_lost();
  if (!link_) return;
  links_->ended(*link_, why);
  link_->release_input();
  send_end(peer_closed());
}

void ConnectionEnd::send_end(const Status& why) { enqueue({.bytes = {}, .end = why}); }

void ConnectionEnd::lose_bytes() {
  size_t under_way = 0;
  for (const auto* segments : {&held_, &in_flight_})
    for (const auto& segment : *segments) under_way += segment.bytes.size();
  size_t left = under_way == 0 ? 0 : network_.random() % under_way;
  for (auto* segments : {&held_, &in_flight_}) {
    for (auto& segment : *segments) {
      segment.end.reset();
      segment.bytes.resize(std::min(segment.bytes.size(), left));
      left -= segment.bytes.size();
    }
    std::erase_if(*segments, [](const auto& segment) { return segment.bytes.empty(); });
  }
  is_broken_ = true;
}

void ConnectionEnd::notice_break_later() {
  network_.events.after(network_.draw_latency(), [self = shared_from_this()] {
    self->network_.scheduler.run_as(
        self->node_, [self] { self->end(unavailable("the connection broke")); });
  });
}

void ConnectionEnd::crash() {
  has_ended_ = true;
  links_ = nullptr;
  link_ = nullptr;
  if (auto other = other_.lock()) {
    other->lose_bytes();
    other->log_lost();
  }
  if (is_broken_) return;
  lose_bytes();
  is_broken_ = false;
  send_end(peer_closed());
}

// -- log

void ConnectionEnd::on_sent(const MessageFacts& facts) {
  messages_.push_back({network_.events.now(), facts});
}

void ConnectionEnd::on_received(const caf::mailbox_element& message) {
  auto other = other_.lock();
  if (!other) return;
  auto facts = facts_of(message);
  auto found = std::ranges::find_if(
      other->messages_, [&](const Sent& sent) { return is_same(sent.facts, facts); });
  if (found == other->messages_.end()) return;
  other->log(*found, /*lost=*/false);
  other->messages_.erase(found);
}

void ConnectionEnd::log_lost() {
  for (const auto& sent : std::exchange(messages_, {})) log(sent, /*lost=*/true);
}

void ConnectionEnd::log(const Sent& sent, bool lost) const {
  network_.log.add(
      {.sent = sent.time,
       .arrived = network_.events.now(),
       .from = node_,
       .to = peer_node_,
       .lost = lost,
       .facts = sent.facts});
}

}  // namespace troupe
