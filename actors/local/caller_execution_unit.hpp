#pragma once

#include <deque>

#include <caf/all.hpp>
#include <thread>

#include "troupe/actors/logger_scope.hpp"

namespace troupe {

/// An execution unit that runs actors on a thread that does not belong to CAF, normally the
/// caller's. Passed to tell(), it queues the actors that the call wakes, and those that they wake
/// in turn; drain() runs them, so that the call needs no context switch. Used by one thread only:
/// an actor that another one wakes, as with the unit of the actor's last run, goes to CAF's
/// scheduler. So do the actors that are queued when it is destroyed.
class CallerExecutionUnit final : public caf::execution_unit {
 public:
  explicit CallerExecutionUnit(caf::actor_system& system) : caf::execution_unit(&system) {}
  ~CallerExecutionUnit() override {
    for (auto* actor : queue_) system().scheduler().enqueue(actor);
  }

  void exec_later(caf::resumable* actor) override {
    if (std::this_thread::get_id() == thread_) queue_.push_back(actor);
    else system().scheduler().enqueue(actor);
  }

  bool empty() const { return queue_.empty(); }

  /// Runs queued actors, at most `actors_max` activations; the others stay queued.
  void drain(size_t actors_max = static_cast<size_t>(-1)) {
    for (size_t i = 0; i < actors_max && !queue_.empty(); ++i) {
      auto* actor = queue_.front();
      queue_.pop_front();
      if (actor->resume(this, /*max_throughput=*/64) == caf::resumable::resume_later)
        queue_.push_back(actor);
      else caf::intrusive_ptr_release(actor);
    }
  }

 private:
  const LoggerScope logger_scope_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::deque<caf::resumable*> queue_;
};

}  // namespace troupe
