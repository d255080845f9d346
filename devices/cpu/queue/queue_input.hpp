#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/queue/queue.hpp"

namespace troupe::cpu {

/// A node that puts into its queue or takes out of it. From its first launch until its plan is
/// dropped it counts as attached.
class QueueNode {
 public:
  QueueNode(std::string name, QueueResource::Role role) : name_(std::move(name)), role_(role) {}

  const std::string& name() const { return name_; }
  void attach(const ResourceHandle& handle) {
    std::call_once(once_, [&] {
      auto queue = std::static_pointer_cast<QueueResource>(handle.resource);
      attached_ = QueueResource::attach(std::move(queue), role_);
    });
  }

 private:
  const std::string name_;
  const QueueResource::Role role_;
  std::once_flag once_;
  std::shared_ptr<void> attached_;
};

/// The queue whose handle, or reference, is input 0 of a launch. It owns the queue: what is called
/// back after the launch may still use it.
class QueueInput {
 public:
  static Result<QueueInput> of(const Launch& launch, QueueNode& node);
  /// `node`: its name, which lasts as long as the plan.
  static Result<QueueInput> of(const Launch& launch, const std::string* node = nullptr);

  QueueResource* operator->() const { return queue_; }
  QueueResource& operator*() const { return *queue_; }

  const QueueCaller& by() const { return by_; }

  std::shared_ptr<QueueResource> shared() const {
    return std::static_pointer_cast<QueueResource>(handle().resource);
  }

  /// An error of the queue as users know it, where the queue is gone.
  Status explain(const Status& status) const;

 private:
  const ResourceHandle& handle() const { return handle_.value<ResourceHandle>(); }

  Tensor handle_;  // owns the queue
  QueueResource* queue_ = nullptr;
  QueueCaller by_;
};

}  // namespace troupe::cpu
