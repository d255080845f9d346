#include "troupe/actors/device/step_rendezvous.hpp"

#include "troupe/actors/post.hpp"

#include "troupe/devices/accelerator/peer_memory.hpp"

namespace troupe {
namespace {

/// An empty tensor takes memory, too.
size_t bytes_of(const Tensor& value) {
  auto is_here =
      value.is_set() && value.allocator() != &lent_memory() && !accelerator::is_of_peer(value);
  return StepRendezvous::bytes_each + (is_here ? value.bytes() : 0);
}

}  // namespace

bool StepRendezvous::arrive(const EdgeKey& key, Tensor value) {
  Arrived receiver;
  {
    std::lock_guard lock(mutex_);
    if (!failed_.ok()) return true;
    auto& entry = entries_[key];
    if (entry.consumed || entry.value) return false;  // RV-1
    if (!entry.receiver) {
      waiting_bytes_ += bytes_of(value);
      entry.value = std::move(value);
      return true;
    }
    entry.consumed = true;
    receiver = std::exchange(entry.receiver, nullptr);
  }
  receiver(std::move(value));
  return true;
}

size_t StepRendezvous::waiting_bytes() const {
  std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

void StepRendezvous::start(
    Tensors feeds, size_t fetch_count, Push push, PostWork post, Lends lends) {
  feeds_ = std::move(feeds);
  fetches_.resize(fetch_count);
  push_ = std::move(push);
  post_ = std::move(post);
  lends_ = std::move(lends);
}

std::optional<Result<Tensor>> StepRendezvous::try_receive(const EdgeKey& key) {
  std::lock_guard lock(mutex_);
  if (!failed_.ok()) return failed_;
  auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.value) return {};
  auto& entry = found->second;
  CHECK(!entry.consumed);
  if (entry.value->is_set() && entry.value->memory() == MemoryKind::device) return {};
  waiting_bytes_ -= bytes_of(*entry.value);
  entry.consumed = true;
  return *std::exchange(entry.value, std::nullopt);
}

void StepRendezvous::receive(const EdgeKey& key, Arrived arrived) {
  std::optional<Tensor> value;
  Status failed;
  {
    std::lock_guard lock(mutex_);
    failed = failed_;
    if (failed.ok()) {
      auto& entry = entries_[key];
      CHECK(!entry.consumed && !entry.receiver);
      if (!entry.value) {
        entry.receiver = std::move(arrived);
        return;
      }
      value = std::exchange(entry.value, std::nullopt);
      waiting_bytes_ -= bytes_of(*value);
      entry.consumed = true;
    }
  }
  if (value) arrived(*std::move(value));
  else arrived(failed);
}

void StepRendezvous::fail(const Status& status) {
  std::map<EdgeKey, Entry> entries;
  {
    std::lock_guard lock(mutex_);
    if (!failed_.ok()) return;
    failed_ = status;
    entries.swap(entries_);
    waiting_bytes_ = 0;
  }
  for (auto& [key, entry] : entries)  // RV-2
    if (entry.receiver) entry.receiver(status);
}

std::chrono::nanoseconds StepRendezvous::now() const {
  return origin_ ? origin_->world->now() : std::chrono::nanoseconds(0);
}

Timer StepRendezvous::timer() const {
  if (!origin_ || !origin_->device) return {};
  return [world = origin_->world, device = origin_->device](
             std::chrono::nanoseconds delay, std::function<void()> work) {
    if (auto actor = device.lock())
      world->after(delay, actor, caf::make_message(Post{std::move(work)}));
  };
}

std::string StepRendezvous::name() const {
  if (!origin_) return {};
  return "step " + std::to_string(step_.number) + " of a session at " + origin_->master;
}

}  // namespace troupe
