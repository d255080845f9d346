#include "troupe/tests/actors/link/link_fixture.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>

namespace troupe::testing {

LinkedNodes::Node& LinkedNodes::add(uint32_t version) {
  nodes_.push_back(std::make_unique<Node>(*this, version));
  return *nodes_.back();
}

void LinkedNodes::End::keep_lent(LentMemory lent, Descriptor use) {
  nodes->kept.push_back({std::move(lent), std::move(use)});
}

void LinkedNodes::Node::dial(
    const Address& address, std::function<void(std::shared_ptr<Link>)> opened, Dialed failed) {
  nodes_.events_.push_back([this, address, opened, failed] {
    auto index = static_cast<size_t>(address.port - 1);
    if (index >= nodes_.nodes_.size()) return failed(unavailable("connection refused"));
    End* ends[2];
    for (auto*& end : ends) {
      nodes_.ends_.push_back(std::make_unique<End>());
      end = nodes_.ends_.back().get();
    }
    for (int i = 0; i < 2; ++i) {
      ends[i]->other = ends[1 - i];
      ends[i]->nodes = &nodes_;
      ends[i]->lends = nodes_.lends_memory;
      ends[i]->node = i == 0 ? this : nodes_.nodes_[index].get();
      ends[i]->link = ends[i]->node->links.make_link(*ends[i]);
    }
    opened(ends[0]->link);
  });
}

bool LinkedNodes::move_bytes(End& from) {
  if (from.has_ended) return false;
  if (from.link->is_overfull()) {
    end(from, unavailable("the peer does not read"));
    return true;
  }
  if (from.is_woken && from.sent.size() < chunk_max) {
    auto slices = from.link->output();
    from.is_woken = !slices.empty();
    for (const auto& slice : slices) {
      const auto* data = static_cast<const std::byte*>(slice.data);
      for (auto descriptor : slice.descriptors)
        from.descriptors.emplace(
            from.moved + from.sent.size(), Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)));
      from.sent.insert(from.sent.end(), data, data + slice.size);
    }
  }
  if (from.sent.empty()) {
    if (!from.is_closing) return false;
    end(from, unavailable("closed"));
    return true;
  }
  if (!from.other || from.other->has_ended) {
    from.sent.clear();
    return true;
  }
  auto& to = *from.other;
  auto space = to.link->space();
  BOOST_REQUIRE(!space.empty());
  auto most = std::min({from.sent.size(), space.size(), chunk_max});
  auto size = 1 + random() % most;
  std::copy_n(from.sent.begin(), size, space.begin());
  from.sent.erase(from.sent.begin(), from.sent.begin() + static_cast<ptrdiff_t>(size));
  bytes_moved += size;
  from.moved += size;
  while (!from.descriptors.empty() && from.descriptors.begin()->first < from.moved) {
    to.link->received(std::move(from.descriptors.begin()->second));
    from.descriptors.erase(from.descriptors.begin());
  }
  if (auto status = to.link->received(size); !status.ok()) {
    end(to, status);
    if (!from.has_ended) end(from, unavailable("the peer closed the connection"));
  }
  return true;
}

void LinkedNodes::end(End& end, const Status& why) {
  end.has_ended = true;
  end.node->links.ended(*end.link, why);
  end.link->release_input();
  end.descriptors.clear();
  auto* other = std::exchange(end.other, nullptr);
  if (!other || other->has_ended) return;
  other->other = nullptr;
  events_.push_back([this, other] {
    if (!other->has_ended) this->end(*other, unavailable("the peer closed the connection"));
  });
}

bool LinkedNodes::run_one() {
  bool has_run = false;
  for (auto& node : nodes_) has_run |= node->scheduler().run() > 0;
  std::vector<size_t> order(ends_.size() + 1);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, random);
  for (auto i : order) {
    if (i < ends_.size()) {
      if (move_bytes(*ends_[i])) return true;
    } else if (!events_.empty()) {
      std::swap(events_[random() % events_.size()], events_.back());
      auto event = std::move(events_.back());
      events_.pop_back();
      event();
      return true;
    }
  }
  return has_run;
}

void LinkedNodes::run(const std::function<bool()>& stop) {
  while (!stop() && run_one()) {
  }
}

void LinkedNodes::pass(std::chrono::milliseconds time) {
  auto until = now_ + time;
  for (run();; run()) {
    auto next = std::ranges::min_element(timers_, {}, &Timer::due);
    if (next == timers_.end() || next->due > until) break;
    now_ = next->due;
    auto work = std::move(next->work);
    timers_.erase(next);
    work();
  }
  now_ = until;
}

void LinkedNodes::send_garbage(size_t connection) {
  auto& sent = ends_.at(2 * connection)->sent;
  auto size = 8 + random() % 5000;
  bool is_plausible = random() % 2 == 0;  // numbers are small in a frame
  for (size_t i = 0; i < size; ++i)
    sent.push_back(std::byte(is_plausible && random() % 4 ? 0 : random() % 256));
  // So that no frame is waited for that never ends.
  sent.insert(sent.end(), 20 << 20, std::byte(0xFF));
}

void LinkedNodes::inject(size_t connection, const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  auto& sent = ends_.at(2 * connection)->sent;
  sent.insert(sent.end(), bytes, bytes + size);
}

size_t LinkedNodes::open_ends() const {
  return static_cast<size_t>(
      std::ranges::count_if(ends_, [](const auto& end) { return !end->has_ended; }));
}

void LinkedNodes::release_unused() {
  std::erase_if(kept, [](const Kept& lent) {
    pollfd use{.fd = lent.use.number(), .events = POLLIN, .revents = 0};
    return ::poll(&use, 1, /*timeout, ms=*/0) == 1;
  });
}

void LinkedNodes::cut(bool only_first_end_notices) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    auto& end = *ends_[i];
    end.sent.clear();
    auto* other = std::exchange(end.other, nullptr);
    if (other) other->other = nullptr;
    bool notices = !only_first_end_notices || i % 2 == 0;
    if (notices && !end.has_ended) this->end(end, unavailable("the connection broke"));
  }
}

}  // namespace troupe::testing
