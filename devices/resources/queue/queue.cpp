#include "troupe/devices/resources/queue/queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {
namespace {

Status out_of_range(std::string message) { return Status(Code::out_of_range, std::move(message)); }

}  // namespace

QueueResource::QueueResource(QueueSpec spec)
    : spec_(std::move(spec)), elements_(make_queue_order(spec_)) {}

// -- what is seen of it

bool QueueResource::is_dropped() const { return is_dropped_.load(std::memory_order_acquire); }

std::shared_ptr<void> QueueResource::attach(std::shared_ptr<QueueResource> queue, Role role) {
  auto* count = &queue->attached(role);
  ++*count;
  return {count, [queue = std::move(queue)](std::atomic<int64_t>* attached) { --*attached; }};
}

bool QueueResource::is_closed() const {
  std::lock_guard lock(mutex_);
  return is_closed_;
}

int64_t QueueResource::size() const {
  std::lock_guard lock(mutex_);
  return elements_->size();
}

Status QueueResource::closed() const {
  return cancelled(std::string(to_string(spec_.kind)) + " '" + spec_.name + "' is closed.");
}

Status QueueResource::gone() const {
  return aborted("queue '" + spec_.name + "' is gone: its container was reset");
}

Status QueueResource::too_few(int64_t requested, int64_t size) const {
  return out_of_range(
      std::string(to_string(spec_.kind)) + " '" + spec_.name +
      "' is closed and has insufficient elements (requested " + std::to_string(requested) +
      ", current size " + std::to_string(size) + ")");
}

// -- the elements that a call may take or put in at this moment

int64_t QueueResource::available() const {
  auto kept = is_closed_ ? 0 : spec_.min_after_dequeue;
  return std::max<int64_t>(elements_->size() - kept, 0);
}

/// How many of the run's elements may be put in now.
int64_t QueueResource::room_for(const QueueRun& run) const {
  auto room = std::max<int64_t>(spec_.capacity - elements_->size(), 0);
  if (spec_.capacity_bytes == 0 || room == 0) return room;
  if (elements_->size() == 0) return 1;
  auto first = run;
  return elements_->bytes() + first.take(1).bytes() <= spec_.capacity_bytes ? 1 : 0;
}

/// Puts in what there is room for; false where there is none.
bool QueueResource::put_in(Producer& producer) {
  bool progress = false;
  while (!producer.runs.empty()) {
    auto& run = producer.runs.front();
    auto room = room_for(run);
    if (room == 0) break;
    auto is_last = run.count <= room;
    auto front = run.take(room);
    enqueued_.add(front.count, producer.by.now());
    elements_->push(std::move(front));
    if (is_last) producer.runs.pop_front();
    progress = true;
  }
  return progress;
}

void QueueResource::take_back(Consumer& consumer) {
  elements_->put_back(std::exchange(consumer.taken, {}));
  consumer.missing = consumer.wanted.count;
}

// -- serving those that wait

/// How the first producer ends, if it does now.
std::optional<Status> QueueResource::end_of(Producer& producer) {
  if (producer.closes) {
    if (std::exchange(is_closed_, true))
      return cancelled("Queue '" + spec_.name + "' is already closed.");
    return Status();
  }
  if (is_closed_) return closed();
  put_in(producer);
  return producer.runs.empty() ? std::optional(Status()) : std::nullopt;
}

/// How the first consumer ends, if it does now. It takes what it gets meanwhile, so that it may
/// want more than the queue holds; but of a priority queue all at once, or it were not in order.
std::optional<Status> QueueResource::end_of(Consumer& consumer) {
  auto size = elements_->size();
  if (is_at_end() && size < consumer.missing) {
    auto status = too_few(consumer.missing, size);
    take_back(consumer);
    if (!consumer.wanted.may_be_less || elements_->size() == 0) return status;
    consumer.missing = elements_->size();
  }
  auto count = std::min(available(), consumer.missing);
  if (spec_.kind == QueueKind::priority && count < consumer.missing) return {};
  elements_->take(count, consumer.taken);
  consumer.missing -= count;
  if (consumer.missing > 0) return {};
  dequeued_.add(count_elements(consumer.taken), consumer.by.now());
  // What was put back meanwhile goes before what came later.
  if (spec_.keeps_batches()) std::ranges::sort(consumer.taken, {}, &QueueRun::position);
  return Status();
}

void QueueResource::finish(Producer& producer, Status status, Calls& calls) {
  calls.push_back([done = std::move(producer.done), status = std::move(status)] { done(status); });
}

void QueueResource::finish(Consumer& consumer, Status status, Calls& calls) {
  calls.push_back([done = std::move(consumer.done), status = std::move(status),
                   taken = std::move(consumer.taken)]() mutable {
    if (status.ok()) done(std::move(taken));
    else done(status);
  });
}

bool QueueResource::advance_producers(Calls& calls) {
  auto size = elements_->size();
  auto was_closed = is_closed_;
  while (!producers_.empty()) {
    auto end = end_of(producers_.front());
    if (!end) break;
    finish(producers_.front(), *std::move(end), calls);
    producers_.pop_front();
  }
  return elements_->size() != size || is_closed_ != was_closed;
}

bool QueueResource::advance_consumers(Calls& calls) {
  auto size = elements_->size();
  while (!consumers_.empty()) {
    auto end = end_of(consumers_.front());
    if (!end) break;
    finish(consumers_.front(), *std::move(end), calls);
    consumers_.pop_front();
  }
  return elements_->size() != size;
}

/// Room that consumers make is for the producers, and the other way round.
void QueueResource::advance(Calls& calls) {
  advance_producers(calls);
  while (advance_consumers(calls) && !producers_.empty() && advance_producers(calls)) {
  }
}

// -- calls

namespace {
void call_back(std::vector<std::function<void()>>& calls) {
  for (auto& call : calls) call();
}
}  // namespace

QueueResource::CallId QueueResource::enqueue(QueueRuns runs, Done done, const QueueCaller& by) {
  Calls calls;
  CallId id = 0;
  {
    std::lock_guard lock(mutex_);
    id = ++last_call_;
    producers_.push_back(
        {.id = id,
         .runs = {std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end())},
         .closes = false,
         .done = std::move(done),
         .by = by,
         .since = by.now()});
    if (is_dropped_) finish(producers_.back(), gone(), calls), producers_.pop_back();
    else if (producers_.size() == 1) advance(calls);
  }
  call_back(calls);
  return id;
}

std::optional<Status> QueueResource::try_enqueue(QueueRun& run, const QueueCaller& by) {
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return gone();
    if (!producers_.empty()) return {};
    if (is_closed_) return closed();
    if (room_for(run) < run.count) return {};
    enqueued_.add(run.count, by.now());
    elements_->push(std::move(run));
    if (!consumers_.empty()) advance(calls);
  }
  call_back(calls);
  return Status();
}

QueueResource::CallId QueueResource::dequeue(Dequeue wanted, Taken taken, const QueueCaller& by) {
  Calls calls;
  CallId id = 0;
  {
    std::lock_guard lock(mutex_);
    id = ++last_call_;
    consumers_.push_back(
        {.id = id,
         .wanted = wanted,
         .missing = wanted.count,
         .taken = {},
         .done = std::move(taken),
         .by = by,
         .since = by.now()});
    if (is_dropped_) finish(consumers_.back(), gone(), calls), consumers_.pop_back();
    else if (consumers_.size() == 1) advance(calls);
  }
  call_back(calls);
  return id;
}

std::optional<Result<QueueRuns>> QueueResource::try_dequeue(Dequeue wanted, const QueueCaller& by) {
  Calls calls;
  QueueRuns runs;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return Result<QueueRuns>(gone());
    if (!consumers_.empty()) return {};
    auto size = elements_->size();
    auto count = wanted.count;
    if (is_at_end() && size < count) {
      if (!wanted.may_be_less || size == 0) return Result<QueueRuns>(too_few(count, size));
      count = size;
    }
    if (available() < count) return {};
    elements_->take(count, runs);
    dequeued_.add(count, by.now());
    if (!producers_.empty()) advance(calls);
  }
  call_back(calls);
  return Result<QueueRuns>(std::move(runs));
}

void QueueResource::give_up(CallId call) {
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    auto producer = std::ranges::find(producers_, call, &Producer::id);
    if (producer != producers_.end()) {
      finish(*producer, cancelled("Enqueue operation was cancelled"), calls);
      producers_.erase(producer);
    } else {
      auto consumer = std::ranges::find(consumers_, call, &Consumer::id);
      if (consumer == consumers_.end()) return;
      take_back(*consumer);
      finish(*consumer, cancelled("Dequeue operation was cancelled"), calls);
      consumers_.erase(consumer);
    }
    advance(calls);
  }
  call_back(calls);
}

void QueueResource::put_back(QueueRuns runs) {
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return;
    elements_->put_back(std::move(runs));
    advance(calls);
  }
  call_back(calls);
}

std::shared_ptr<void> QueueResource::await_return(std::shared_ptr<QueueResource> queue) {
  {
    std::lock_guard lock(queue->mutex_);
    ++queue->returning_;
  }
  auto* resource = queue.get();
  return {resource, [queue = std::move(queue)](QueueResource*) { queue->end_return(); }};
}

void QueueResource::end_return() {
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    --returning_;
    advance(calls);
  }
  call_back(calls);
}

QueueResource::CallId QueueResource::close(
    bool cancels_enqueues, Done done, const QueueCaller& by) {
  Calls calls;
  CallId id = 0;
  {
    std::lock_guard lock(mutex_);
    id = ++last_call_;
    Producer closing{
        .id = id, .runs = {}, .closes = true, .done = std::move(done), .by = by, .since = by.now()};
    if (is_dropped_) {
      finish(closing, gone(), calls);
    } else if (cancels_enqueues) {
      is_closed_ = true;
      for (auto& producer : producers_)
        finish(producer, cancelled("Enqueue operation was cancelled"), calls);
      producers_.clear();
      finish(closing, {}, calls);
    } else {
      producers_.push_back(std::move(closing));
    }
    advance(calls);
  }
  call_back(calls);
  return id;
}

void QueueResource::drop() {
  Calls calls;
  QueueRuns unused;  // freed without the lock: they may be large
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    for (auto& producer : producers_) finish(producer, gone(), calls);
    for (auto& consumer : consumers_) {
      std::ranges::move(consumer.taken, std::back_inserter(unused));
      finish(consumer, gone(), calls);
    }
    producers_.clear();
    consumers_.clear();
    elements_->take(elements_->size(), unused);
  }
  call_back(calls);
}

}  // namespace troupe
