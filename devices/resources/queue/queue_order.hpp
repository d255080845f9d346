#pragma once

#include <memory>

#include "troupe/devices/resources/queue/queue_run.hpp"
#include "troupe/devices/resources/queue/queue_spec.hpp"

namespace troupe {

/// The elements of a queue, which it gives in the order of its kind.
class QueueOrder {
 public:
  virtual ~QueueOrder() = default;

  /// Adds elements behind all others. Of a queue that keeps no batches, one by itself.
  void push(QueueRun run);
  /// Appends the next `count` elements, which it has, to a list, and is without them.
  void take(int64_t count, QueueRuns& to);
  /// Takes elements back that take() gave: where the kind has an order, to where they were in it.
  void put_back(QueueRuns runs);

  int64_t size() const { return size_; }
  uint64_t bytes() const { return bytes_; }

 private:
  virtual void add(QueueRun run) = 0;
  /// The next elements: at least one, and at most so many.
  virtual QueueRun take_some(int64_t most) = 0;

  int64_t size_ = 0;
  uint64_t bytes_ = 0;
  int64_t next_position_ = 0;
};

std::unique_ptr<QueueOrder> make_queue_order(const QueueSpec& spec);

}  // namespace troupe
