#include "troupe/actors/world/local_world.hpp"

namespace troupe {

void LocalWorld::serve(const Address& address, caf::strong_actor_ptr task, uint64_t incarnation) {
  std::lock_guard lock(mutex_);
  tasks_[address] = {std::move(task), incarnation};
}

void LocalWorld::connect(
    const Address& address, std::chrono::milliseconds timeout, Connected done) {
  caf::strong_actor_ptr task;
  {
    std::lock_guard lock(mutex_);
    if (auto found = tasks_.find(address); found != tasks_.end()) task = found->second.first;
  }
  if (task) return done(task);
  done(unavailable("no task serves at " + address.to_string()));
}

void LocalWorld::probe(const Address& address, std::chrono::milliseconds timeout, Probed done) {
  Result<uint64_t> answer = not_found("no task serves at " + address.to_string());
  {
    std::lock_guard lock(mutex_);
    if (auto found = tasks_.find(address); found != tasks_.end()) answer = found->second.second;
  }
  done(answer);
}

uint64_t LocalWorld::random() {
  std::lock_guard lock(mutex_);
  return (uint64_t{random_()} << 32) | random_();
}

}  // namespace troupe
