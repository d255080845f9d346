#pragma once

#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/queue/queue.hpp"

namespace troupe::cpu {

/// The queue whose handle, or reference, is input 0 of a launch. It owns the queue: what is called
/// back after the launch, or by the end of its step, may still use it.
class QueueInput {
 public:
  /// `node`: its name, which lasts as long as the plan.
  static Result<QueueInput> of(const Launch& launch, const std::string* node = nullptr);

  QueueResource* operator->() const { return queue_; }
  QueueResource& operator*() const { return *queue_; }

  const QueueCaller& by() const { return by_; }

  /// An error of the queue as users know it, where the queue is gone.
  Status explain(const Status& status) const;

 private:
  ResourceHandle handle_;
  QueueResource* queue_ = nullptr;
  QueueCaller by_;
};

}  // namespace troupe::cpu
