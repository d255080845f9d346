#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe {

/// The name of a resource, unique in the cluster.
struct ResourceName {
  std::string container;  // "" is the default one
  std::string name;

  auto operator<=>(const ResourceName&) const = default;
};

/// An op of a step that waits to put elements into a queue, or to take some out.
struct QueueWaiter {
  std::string node;  // "'take' of step 3 of a session at /job:worker/task:0"; empty if not known
  std::chrono::milliseconds age{0};  // how long it has waited

  bool operator==(const QueueWaiter&) const = default;
};

/// What has gone into a queue, or come out of it, and which ops wait to do so.
struct QueueTraffic {
  static constexpr size_t waiters_max = 4;

  int64_t elements = 0;                           // since the queue was made
  double per_second = 0;                          // over the last 10 to 20 seconds
  std::optional<std::chrono::milliseconds> idle;  // since the latest; nothing: there was none
  int64_t waiting = 0;                            // how many ops wait
  std::vector<QueueWaiter> waiters;  // those that have waited longest, at most waiters_max

  bool operator==(const QueueTraffic&) const = default;
};

/// How a queue is used.
struct QueueUse {
  int64_t capacity = -1;  // the most elements; -1: any number
  QueueTraffic enqueues;
  QueueTraffic dequeues;

  bool operator==(const QueueUse&) const = default;
};

/// State that a container keeps between steps, such as a variable. Each kind defines its value and
/// its locking (`devices/resources/variable.hpp`).
class Resource {
 public:
  virtual ~Resource() = default;

  /// "variable": for error messages, and to reject a lookup of another kind.
  virtual const char* kind() const = 0;

  /// Frees the value, as the container was reset. Steps that still use the resource fail with
  /// Aborted.
  virtual void drop() = 0;
  virtual bool is_dropped() const = 0;

  /// The current value; 0 bytes before the first assignment.
  struct Description {
    DType dtype = DType::float32;
    Shape shape;
    uint64_t bytes = 0;
  };
  virtual Description describe() const = 0;
  /// Of a queue, how it is used at `now`, by the clock of its task; else nothing.
  virtual std::optional<QueueUse> queue_use(std::chrono::nanoseconds /*now*/) const { return {}; }
  /// In words, what it is like at this moment: for those who ask why a step waits for it. Empty
  /// where nothing waits for such a resource.
  virtual std::string state() const { return {}; }

  /// Records that a step used it at `now`, by the clock of its task.
  void touch(std::chrono::nanoseconds now) { used_at_.store(now.count(), relaxed); }
  std::chrono::nanoseconds used_at() const {
    return std::chrono::nanoseconds(used_at_.load(relaxed));
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<int64_t> used_at_{0};
};

/// The element of a `resource` tensor: which resource, by name, and the resource itself once a plan
/// has bound it.
struct ResourceHandle {
  std::string container;
  std::string name;
  std::shared_ptr<Resource> resource;
};

}  // namespace troupe
