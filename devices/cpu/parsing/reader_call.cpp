#include "troupe/devices/cpu/parsing/reader_call.hpp"

#include <algorithm>

#include "troupe/devices/cpu/put_back.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

/// The name of a work unit that a queue gave.
Result<std::string> work_unit_of(const QueueRun& run) {
  if (run.components.size() != 1) return invalid_argument("Expected single component queue");
  const auto& component = run.components[0];
  if (component.dtype() != DType::string)
    return invalid_argument("Expected queue with single string component");
  auto rows = run.is_batch ? component.shape()[0] : 1;
  if (component.elements() != rows)
    return invalid_argument("Expected to dequeue a one-element string tensor");
  return component.values<std::string>()[static_cast<size_t>(run.first)];
}

}  // namespace

ReaderCall::ReaderCall(Launch& launch, Kernel::Done done)
    : launch_(launch), done_(std::move(done)) {}

void ReaderCall::start() {
  auto reader = resource_input<ReaderResource>(launch_, 0);
  if (!reader) return done_(reader.status());
  reader_ = {launch_.input(0).value<ResourceHandle>().resource, *reader};
  auto self = shared_from_this();
  launch_.on_cancel([self] { self->cancel(); });
  auto turn = reader_->enter(
      [self](const Status& status) {
        if (!status.ok()) return self->done_(self->explain(status));
        self->launch_.device().enqueue([self] { self->work(); });
      },
      {.dropped =
           [weak = weak_from_this()] {
             if (auto call = weak.lock()) call->cancel();
           },
       .put_back =
           [weak = weak_from_this()] {
             if (auto call = weak.lock()) call->look_again();
           }});
  auto gives_up = false;
  {
    std::lock_guard lock(mutex_);
    turn_ = turn;
    gives_up = is_cancelled_;
  }
  if (gives_up) reader_->give_up(turn);
}

void ReaderCall::finish(const Status& status) {
  auto explained = explain(status);
  auto self = shared_from_this();  // the launch may end with done_()
  reader_->leave();
  done_(explained);
}

void ReaderCall::wait_for_work() {
  auto queue = resource_input<QueueResource>(launch_, 1);
  if (!queue) return finish(queue.status());
  if (!queue_) {
    queue_ = *queue;
    queue_owner_ = launch_.input(1).value<ResourceHandle>().resource;
  }
  auto self = shared_from_this();
  auto dequeue = queue_->dequeue(
      {},
      [self](Result<QueueRuns> runs) {
        self->launch_.device().enqueue(
            [self, runs = std::move(runs)]() mutable { self->take(std::move(runs)); });
      },
      {.step = &launch_.port()});
  auto gives_up = false;
  {
    std::lock_guard lock(mutex_);
    // The next wait may have begun already.
    dequeue_ = std::max(dequeue_, dequeue);
    gives_up = is_cancelled_;
  }
  if (gives_up || reader_->has_work()) queue_->give_up(dequeue);
}

/// Has a call that waits for the next work unit, or for records that are about to be put back, look
/// for records that were.
void ReaderCall::look_again() {
  QueueResource::CallId dequeue;
  bool waits = false;
  {
    std::lock_guard lock(mutex_);
    dequeue = dequeue_;
    waits = std::exchange(waits_for_return_, false);
  }
  if (waits) launch_.device().enqueue([self = shared_from_this()] { self->work(); });
  else if (dequeue != 0) queue_->give_up(dequeue);
}

/// Works again once records that are about to be put back have been; false: there are none.
bool ReaderCall::wait_for_return() {
  {
    std::lock_guard lock(mutex_);
    if (is_cancelled_) return false;
    waits_for_return_ = true;
  }
  if (reader_->is_returning()) return true;
  std::lock_guard lock(mutex_);  // look_again() may have been told already
  return !std::exchange(waits_for_return_, false);
}

void ReaderCall::put_back_unless_done(
    const Tensor& keys, const Tensor& values, std::vector<uint64_t> numbers) {
  cpu::put_back_unless_done(
      launch_, keys.bytes() + values.bytes(),
      [reader = reader_, keys, values, numbers = std::move(numbers)] {
        std::vector<ReaderResource::Record> records;
        for (size_t i = 0; i < numbers.size(); ++i)
          records.push_back(
              {keys.values<std::string>()[i], values.values<std::string>()[i], numbers[i]});
        reader->put_back(std::move(records));
      },
      [reader = reader_] { return ReaderResource::await_return(reader); });
}

void ReaderCall::take(Result<QueueRuns> runs) {
  if (!runs && runs.status().code() == Code::out_of_range && wait_for_return()) return;
  if (!runs && reader_->has_work() && !is_cancelled()) return work();
  if (!runs)
    return finish(
        queue_->is_dropped() ? gone(launch_.input(1).value<ResourceHandle>()) : runs.status());
  if (is_cancelled()) {
    queue_->put_back(*std::move(runs));
    return finish(cancelled("the read was cancelled"));
  }
  auto status = begin(*runs);
  if (status.ok()) return work();
  finish(status);
}

Status ReaderCall::begin(const QueueRuns& runs) {
  auto work_unit = work_unit_of(runs[0]);
  return work_unit ? reader_->begin(*std::move(work_unit)) : work_unit.status();
}

bool ReaderCall::is_cancelled() {
  std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void ReaderCall::cancel() {
  ReaderResource::CallId turn;
  QueueResource::CallId dequeue;
  bool waits = false;
  {
    std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    waits = std::exchange(waits_for_return_, false);
    turn = turn_;
    dequeue = dequeue_;
  }
  if (waits)
    launch_.device().enqueue(
        [self = shared_from_this()] { self->finish(cancelled("the read was cancelled")); });
  if (turn != 0) reader_->give_up(turn);
  if (dequeue != 0) queue_->give_up(dequeue);
}

Status ReaderCall::explain(const Status& status) const {
  if (status.ok() || !reader_->is_dropped()) return status;
  return gone(launch_.input(0).value<ResourceHandle>());
}

}  // namespace troupe::cpu
