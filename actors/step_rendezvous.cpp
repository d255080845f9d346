#include "troupe/actors/step_rendezvous.hpp"

#include <algorithm>

namespace troupe {

bool StepRendezvous::arrive(EdgeId edge, Tensor value) {
  std::function<void(Result<Tensor>)> receiver;
  {
    std::lock_guard lock(mutex_);
    if (!failed_.ok()) return true;
    auto& meeting = meetings_[edge];
    if (meeting.over || meeting.value) return false;  // RV-1
    if (!meeting.receiver) {
      waiting_bytes_ += value.bytes();
      meeting.value = std::move(value);
      return true;
    }
    meeting.over = true;
    receiver = std::exchange(meeting.receiver, nullptr);
  }
  receiver(std::move(value));
  return true;
}

size_t StepRendezvous::waiting_bytes() const {
  std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

std::vector<EdgeId> StepRendezvous::awaited() const {
  std::lock_guard lock(mutex_);
  std::vector<EdgeId> edges;
  for (const auto& [edge, meeting] : meetings_)
    if (meeting.receiver) edges.push_back(edge);
  std::ranges::sort(edges);
  return edges;
}

void StepRendezvous::start(Tensors feeds, size_t fetch_count, Push push) {
  feeds_ = std::move(feeds);
  fetches_.resize(fetch_count);
  push_ = std::move(push);
}

void StepRendezvous::receive(EdgeId edge, std::function<void(Result<Tensor>)> arrived) {
  std::optional<Tensor> value;
  Status failed;
  {
    std::lock_guard lock(mutex_);
    failed = failed_;
    if (failed.ok()) {
      auto& meeting = meetings_[edge];
      CHECK(!meeting.over && !meeting.receiver);
      if (!meeting.value) {
        meeting.receiver = std::move(arrived);
        return;
      }
      value = std::exchange(meeting.value, std::nullopt);
      waiting_bytes_ -= value->bytes();
      meeting.over = true;
    }
  }
  if (value) arrived(*std::move(value));
  else arrived(failed);
}

void StepRendezvous::fail(const Status& status) {
  std::unordered_map<EdgeId, Meeting> meetings;
  {
    std::lock_guard lock(mutex_);
    if (!failed_.ok()) return;
    failed_ = status;
    meetings.swap(meetings_);
    waiting_bytes_ = 0;
  }
  for (auto& [edge, meeting] : meetings)  // RV-2
    if (meeting.receiver) meeting.receiver(status);
}

}  // namespace troupe
