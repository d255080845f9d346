#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "troupe/devices/device.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

struct BatchTask;
using BatchTasks = std::vector<std::shared_ptr<BatchTask>>;

/// The rows that one launch gives to a batch. It is answered once: by who processes the batch, by
/// give_up() or by drop(); what comes later has no effect.
struct BatchTask {
  /// Answers the tasks of a batch, now or later, and then calls `ended`.
  using Process = std::function<void(BatchTasks tasks, std::function<void()> ended)>;

  int64_t rows = 0;
  Tensors inputs;  // each with so many rows
  Process process;
  std::function<void(Result<Tensors>)> answered;
  int64_t id = 0;  // its place among all tasks of its batcher, which gives it

  void answer(Result<Tensors> answer) {
    if (!is_answered_.exchange(true)) std::exchange(answered, nullptr)(std::move(answer));
  }

 private:
  std::atomic<bool> is_answered_ = false;
};

/// What an op of batches declares.
struct BatchLimits {
  int64_t parallel = 1;  // how many batches are processed beside each other
  int64_t rows_max = 1;
  std::chrono::microseconds timeout{0};  // after which a batch that is not full is processed
  int64_t batches_max = 1;               // that wait, in each queue
  std::vector<int64_t> allowed_rows;     // what batches are padded to; empty: they are not

  /// InvalidArgument: the node's attributes.
  static Result<BatchLimits> of(const Node& node);
  /// The fewest rows that a batch of those can be padded to.
  int64_t padded(int64_t rows) const;
};

/// Where launches of steps wait until they are processed together. Each batch is processed by the
/// process of its last task, on a thread of the device. Thread-safe; no call waits.
/// (TensorFlow: BatchResource, SharedBatchScheduler.)
///
/// BT-1: a batch has at most `rows_max` rows, and at most `parallel` are processed at a time.
/// BT-2: a batch is processed once it is full, another one has begun behind it, or its time is up.
class BatcherResource final : public Resource,
                              public std::enable_shared_from_this<BatcherResource> {
 public:
  static constexpr const char* kind_name = "batcher";

  explicit BatcherResource(BatchLimits limits) : limits_(std::move(limits)) {}

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }
  Description describe() const override { return {.dtype = DType::resource}; }

  const BatchLimits& limits() const { return limits_; }

  /// Adds a task to a queue. InvalidArgument: it has too many rows for a batch. Unavailable: too
  /// many batches wait. Without a timer, a batch waits for nothing but its turn.
  Status add(
      const std::string& queue, std::shared_ptr<BatchTask> task, const Timer& timer,
      Device& device);
  /// Takes the task out of its batch, if that still waits, and answers it with Cancelled.
  void give_up(const std::shared_ptr<BatchTask>& task);

 private:
  struct Batch {
    uint64_t number;
    BatchTasks tasks = {};
    int64_t rows = 0;
    bool is_due = false;
  };
  using Queue = std::deque<Batch>;

  Result<uint64_t> add_to(Queue& queue, const std::shared_ptr<BatchTask>& task);
  void time_is_up(uint64_t number, Device& device);
  std::vector<BatchTasks> take_ready();
  void process(std::vector<BatchTasks> batches, Device& device);

  const BatchLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Queue> queues_;
  int64_t running_ = 0;
  uint64_t batch_count_ = 0;
  int64_t task_count_ = 0;
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
