#include "troupe/devices/accelerator/completions.hpp"

#include <utility>

namespace troupe::accelerator {

struct Completions::Shared {
  struct Awaited {
    Event event;
    std::function<void(Status)> then;
  };

  explicit Shared(Wait given) : wait(std::move(given)) {}

  const Wait wait;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Awaited> awaited;
  uint64_t added = 0;
  uint64_t done = 0;
  bool is_stopped = false;
};

Completions::Completions(Wait wait)
    : shared_(std::make_shared<Shared>(std::move(wait))),
      thread_([shared = shared_] { run(shared); }) {}

Completions::~Completions() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->is_stopped = true;
  }
  shared_->changed.notify_all();
  // A callback may release the last tensor of a device, and with it the device.
  if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
  else thread_.join();
}

void Completions::add(Event event, std::function<void(Status)> then) {
  auto shared = shared_;  // the callback may end this object before the call returns
  {
    std::lock_guard lock(shared->mutex);
    shared->awaited.push_back({std::move(event), std::move(then)});
    ++shared->added;
  }
  shared->changed.notify_all();
}

void Completions::finish() {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [this, last = shared_->added] { return shared_->done >= last; });
}

void Completions::run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->is_stopped || !shared->awaited.empty(); });
    if (shared->awaited.empty()) return;
    auto next = std::move(shared->awaited.front());
    shared->awaited.pop_front();
    lock.unlock();
    next.then(shared->wait(next.event));
    next = {};  // what the callback holds ends with it, and not under the lock
    lock.lock();
    ++shared->done;
    shared->changed.notify_all();
  }
}

}  // namespace troupe::accelerator
