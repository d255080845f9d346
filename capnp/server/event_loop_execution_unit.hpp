#pragma once

#include <kj/async.h>

#include <caf/execution_unit.hpp>
#include <deque>
#include <memory>

#include "troupe/capnp/server/task_queue.hpp"

namespace troupe {

/// Runs CAF actors on the thread of a KJ event loop. An actor that an RPC makes ready runs on the
/// thread that received the call, so the answer needs no switch between threads. Constructed and
/// used on that thread. Actors that are still ready when it is destroyed move to CAF's scheduler.
class EventLoopExecutionUnit final : public caf::execution_unit, private kj::TaskSet::ErrorHandler {
 public:
  /// `task_queue` belongs to the loop of the calling thread.
  EventLoopExecutionUnit(caf::actor_system& system, std::shared_ptr<TaskQueue> task_queue);
  ~EventLoopExecutionUnit() noexcept override;

  /// Called by CAF, also while drain() runs an actor.
  void exec_later(caf::resumable* job) override;

  /// Runs the actors that are ready, a bounded number of them; the rest run after the loop has
  /// polled its sockets.
  void drain();
  /// Schedules drain() on the loop, for callers that must not run actors, such as destructors.
  void drain_soon();

  /// The queue by which other threads post to this one.
  const std::shared_ptr<TaskQueue>& task_queue() const { return task_queue_; }

 private:
  void taskFailed(kj::Exception&& exception) override;

  std::shared_ptr<TaskQueue> task_queue_;
  std::deque<caf::resumable*> jobs_;  // each holds a reference count
  bool is_draining_ = false;
  bool is_drain_due_ = false;
  kj::TaskSet tasks_;
};

}  // namespace troupe
