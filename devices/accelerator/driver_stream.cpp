#include "troupe/devices/accelerator/driver_stream.hpp"

#include <utility>

namespace troupe::accelerator {

void DriverStream::enqueue(std::function<Status()> work) {
  driver_->call_host(Lane::compute, [error = error_, work = std::move(work)] {
    if (!error->get().ok()) return;  // ST-1
    auto status = work();
    std::lock_guard lock(error->mutex);
    if (error->status.ok()) error->status = std::move(status);
  });
}

void DriverStream::when_done(std::function<void(Status)> then) {
  // What was given back until now is then free for all lanes.
  auto mark = memory_->mark();
  driver_->when_reached(
      Lane::compute,
      [memory = memory_, error = error_, mark, then = std::move(then)](const Status& status) {
        memory->passed(mark);
        then(status.ok() ? error->get() : status);
      });
}

}  // namespace troupe::accelerator
