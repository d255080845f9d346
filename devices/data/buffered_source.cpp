#include "troupe/devices/data/buffered_source.hpp"

#include <algorithm>

#include "troupe/devices/data/iteration.hpp"

namespace troupe::data {

BufferedSource::BufferedSource(
    std::shared_ptr<Iteration> iteration, SharedSource input, size_t capacity, Transform transform,
    bool keeps_order)
    : iteration_(std::move(iteration)),
      input_(std::move(input)),
      capacity_(std::max<size_t>(capacity, 1)),
      transform_(std::move(transform)),
      keeps_order_(keeps_order && iteration_->keeps_order()) {}

void BufferedSource::start() {
  std::lock_guard lock(mutex_);
  begin_filling();
}

/// Under the mutex.
void BufferedSource::begin_filling() {
  if (is_filling_ || is_ended_) return;
  is_filling_ = true;
  iteration_->device().enqueue([self = shared_from_this()] { self->fill(); });
}

std::optional<Pulled> BufferedSource::pull(Done done) {
  std::lock_guard lock(mutex_);
  auto ready = find_ready();
  if (ready == slots_.end()) {
    if (slots_.empty() && is_ended_) return end_of_sequence();
    done_ = std::move(done);
    begin_filling();
    return {};
  }
  auto answer = pop(ready);
  // A task for each element would cost more than most elements.
  if (capacity_ - slots_.size() >= std::max<size_t>(capacity_ / 4, 1)) begin_filling();
  return answer;
}

/// What comes next, if that is there. Under the mutex.
std::deque<BufferedSource::SharedSlot>::iterator BufferedSource::find_ready() {
  for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
    const auto& value = (*slot)->value;
    auto is_end = value && value->ok() && !(*value)->has_value();
    if (is_end && slot != slots_.begin()) break;  // what is before it still comes
    if (value) return slot;
    if (keeps_order_) break;
  }
  return slots_.end();
}

/// Takes a value, which is there. Under the mutex.
Pulled BufferedSource::pop(std::deque<SharedSlot>::iterator slot) {
  auto answer = *std::move((*slot)->value);
  slots_.erase(slot);
  if (answer.ok() && !answer->has_value()) {
    is_ended_ = true;
    slots_.clear();
  }
  return answer;
}

void BufferedSource::fill() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (iteration_->is_stopped()) return end_stopped(std::move(lock));
      if (slots_.size() >= capacity_) {
        is_filling_ = false;
        return;
      }
    }
    auto answer = input_->pull([self = shared_from_this()](Pulled late) {
      if (self->take(std::move(late))) self->fill();
    });
    if (!answer || !take(*std::move(answer))) return;
  }
}

void BufferedSource::end_stopped(std::unique_lock<std::mutex> lock) {
  is_filling_ = false;
  is_ended_ = true;
  auto done = std::exchange(done_, nullptr);
  lock.unlock();
  if (done) done(cancelled("the iterator is gone"));
}

/// Returns whether there may be more.
bool BufferedSource::take(Pulled answer) {
  std::unique_lock lock(mutex_);
  auto is_end = answer.ok() && !answer->has_value();
  if (is_end || is_ended_) {
    is_ended_ = true;
    is_filling_ = false;
    answer_waiting(std::move(lock));
    return false;
  }
  auto slot = std::make_shared<Slot>();
  slots_.push_back(slot);
  if (!answer.ok() || !transform_) {
    slot->value = std::move(answer);
    answer_waiting(std::move(lock));
    return true;
  }
  lock.unlock();
  iteration_->device().enqueue(
      [self = shared_from_this(), slot, element = **std::move(answer)]() mutable {
        self->transform(slot, std::move(element));
      });
  return true;
}

void BufferedSource::transform(const SharedSlot& slot, Element element) {
  auto made = transform_(std::move(element), [self = shared_from_this(), slot](Pulled late) {
    self->set(slot, std::move(late));
  });
  if (made) set(slot, *std::move(made));
}

void BufferedSource::set(const SharedSlot& slot, Pulled value) {
  std::unique_lock lock(mutex_);
  slot->value = std::move(value);
  answer_waiting(std::move(lock));
}

/// Answers the pull that waits, where its answer is there now.
void BufferedSource::answer_waiting(std::unique_lock<std::mutex> lock) {
  if (!done_) return;
  Pulled answer = end_of_sequence();
  if (slots_.empty()) {
    if (!is_ended_) return;
  } else {
    auto ready = find_ready();
    if (ready == slots_.end()) return;
    answer = pop(ready);
    begin_filling();
  }
  auto done = std::exchange(done_, nullptr);
  lock.unlock();
  done(std::move(answer));
}

}  // namespace troupe::data
