#include "troupe/devices/data/dealt_source.hpp"

#include <algorithm>

namespace troupe::data {
namespace {

class DealtSource final : public ElementSource {
 public:
  DealtSource(std::shared_ptr<Dealer> dealer, size_t receiver)
      : dealer_(std::move(dealer)), receiver_(receiver) {}

  std::optional<Pulled> pull(Done done) override {
    return dealer_->pull(receiver_, std::move(done));
  }

 private:
  std::shared_ptr<Dealer> dealer_;
  size_t receiver_;
};

}  // namespace

Dealer::Dealer(
    std::shared_ptr<Iteration> iteration, SharedSource source, size_t count, size_t buffer_size)
    : iteration_(std::move(iteration)),
      source_(std::move(source)),
      buffer_size_(std::max<size_t>(buffer_size, 1)),
      receivers_(count) {}

std::optional<Pulled> Dealer::pull(size_t receiver, ElementSource::Done done) {
  std::lock_guard lock(mutex_);
  auto& [elements, waiting] = receivers_[receiver];
  if (elements.empty()) {
    if (is_ended_) return end_of_sequence();
    waiting = std::move(done);
    begin_reading();
    return {};
  }
  auto element = std::move(elements.front());
  elements.pop_front();
  begin_reading();
  return element;
}

/// Under the lock.
void Dealer::begin_reading() {
  if (is_reading_ || is_ended_ || !may_read()) return;
  is_reading_ = true;
  iteration_->device().enqueue([self = shared_from_this()] { self->read(); });
}

/// Whether there is room for the next element. Under the lock.
bool Dealer::may_read() {
  const auto& [elements, waiting] = receivers_[next_];
  return waiting || elements.size() < buffer_size_;
}

void Dealer::read() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (is_ended_ || !may_read()) {
        is_reading_ = false;
        return;
      }
    }
    auto answer = source_->pull([self = shared_from_this()](Pulled late) {
      if (self->take(std::move(late))) self->read();
    });
    if (!answer || !take(*std::move(answer))) return;
  }
}

/// Returns whether there may be more.
bool Dealer::take(Pulled answer) {
  if (answer.ok() && !answer->has_value()) {
    end();
    return false;
  }
  std::unique_lock lock(mutex_);
  auto& [elements, waiting] = receivers_[next_];
  next_ = (next_ + 1) % receivers_.size();
  if (is_ended_) return false;
  if (!waiting) {
    elements.push_back(std::move(answer));
    return true;
  }
  auto done = std::exchange(waiting, nullptr);
  lock.unlock();
  done(std::move(answer));
  return true;
}

/// Answers all who wait: nothing comes any more.
void Dealer::end() {
  std::vector<ElementSource::Done> waiting;
  {
    std::lock_guard lock(mutex_);
    is_ended_ = true;
    is_reading_ = false;
    for (auto& receiver : receivers_)
      if (receiver.done) waiting.push_back(std::exchange(receiver.done, nullptr));
  }
  for (auto& done : waiting)
    done(iteration_->is_stopped() ? Pulled(cancelled("the iterator is gone")) : end_of_sequence());
}

void Dealer::stop() {
  iteration_->stop();
  end();
}

SharedSource dealt_source(std::shared_ptr<Dealer> dealer, size_t receiver) {
  return std::make_shared<DealtSource>(std::move(dealer), receiver);
}

}  // namespace troupe::data
