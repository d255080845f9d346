#pragma once

#include <deque>

#include <caf/all.hpp>

namespace troupe {

/// A thread that is none of CAF's as a place where actors run. Give it to tell(): the actors that
/// the call wakes, and those that they wake in turn, queue up here and run in drain(), so the call
/// costs no hop to another thread. To be used by one thread; what is left at its end goes to CAF's
/// threads.
class OwnUnit final : public caf::execution_unit {
 public:
  explicit OwnUnit(caf::actor_system& system) : caf::execution_unit(&system) {}
  ~OwnUnit() override {
    for (auto* actor : queue_) system().scheduler().enqueue(actor);
  }

  void exec_later(caf::resumable* actor) override { queue_.push_back(actor); }

  bool empty() const { return queue_.empty(); }

  /// Runs what has queued up, at most `actors_max` activations; the rest waits for the next call.
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
  std::deque<caf::resumable*> queue_;
};

}  // namespace troupe
