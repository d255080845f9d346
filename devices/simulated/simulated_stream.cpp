#include "troupe/devices/simulated/simulated_stream.hpp"

#include <utility>

namespace troupe {

/// A recorded end of a stream, and who waits for the stream to get there.
struct SimulatedStream::Position {
  std::mutex mutex;
  bool is_reached = false;
  std::vector<std::function<void()>> waiting;

  void reach() {
    std::vector<std::function<void()>> woken;
    {
      std::lock_guard lock(mutex);
      is_reached = true;
      woken.swap(waiting);
    }
    for (auto& wake : woken) wake();
  }
};

void SimulatedStream::enqueue(std::function<Status()> work) { add({.work = std::move(work)}); }

Event SimulatedStream::record() {
  auto position = std::make_shared<Position>();
  add({.reached = position});
  return position;
}

void SimulatedStream::wait(const Event& event) {
  add({.awaited = std::static_pointer_cast<const Position>(event)});
}

void SimulatedStream::when_done(std::function<void(Status)> then) {
  add({.done = std::move(then)});
}

void SimulatedStream::drop() {
  std::deque<Item> items;  // released without the lock
  std::lock_guard lock(mutex_);
  items.swap(items_);
}

void SimulatedStream::add(Item item) {
  {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    if (std::exchange(is_scheduled_, true)) return;
  }
  later_([this] { run_next(); });
}

/// One item an event of the simulation, so that all else may come between.
void SimulatedStream::run_next() {
  Item item;
  {
    std::lock_guard lock(mutex_);
    item = std::move(items_.front());
    items_.pop_front();
  }
  if (item.awaited && must_wait_for(item.awaited)) return;
  run(item);
  {
    std::lock_guard lock(mutex_);
    if (items_.empty()) {
      is_scheduled_ = false;
      return;
    }
  }
  later_([this] { run_next(); });
}

/// The stream stands still until the position is reached; it is then scheduled again.
bool SimulatedStream::must_wait_for(const std::shared_ptr<const Position>& awaited) {
  auto& position = const_cast<Position&>(*awaited);
  std::lock_guard lock(position.mutex);
  if (position.is_reached) return false;
  position.waiting.emplace_back([this] {
    {
      std::lock_guard own(mutex_);
      if (items_.empty()) {
        is_scheduled_ = false;
        return;
      }
    }
    later_([this] { run_next(); });
  });
  return true;
}

void SimulatedStream::run(Item& item) {
  if (item.work && error_.ok()) error_ = item.work();  // ST-1
  if (item.done) item.done(error_);
  if (item.reached) item.reached->reach();
}

}  // namespace troupe
