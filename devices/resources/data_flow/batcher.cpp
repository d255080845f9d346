#include "troupe/devices/resources/data_flow/batcher.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

Status gone() { return aborted("the container of the batcher was reset"); }

Status check_allowed(const std::vector<int64_t>& allowed, int64_t rows_max) {
  for (size_t i = 1; i < allowed.size(); ++i)
    if (allowed[i] <= allowed[i - 1])
      return invalid_argument("allowed_batch_sizes entries must be monotonically increasing");
  if (!allowed.empty() && allowed.back() != rows_max)
    return invalid_argument("final entry in allowed_batch_sizes must equal max_batch_size");
  return {};
}

}  // namespace

Result<BatchLimits> BatchLimits::of(const Node& node) {
  BatchLimits limits{
      .parallel = node.attr<int64_t>("num_batch_threads"),
      .rows_max = node.attr<int64_t>("max_batch_size"),
      .timeout = std::chrono::microseconds(node.attr<int64_t>("batch_timeout_micros")),
      .batches_max = node.attr<int64_t>("max_enqueued_batches"),
      .allowed_rows = node.attr<std::vector<int64_t>>("allowed_batch_sizes")};
  for (auto [name, number] :
       {std::pair("num_batch_threads", limits.parallel),
        std::pair("max_batch_size", limits.rows_max),
        std::pair("max_enqueued_batches", limits.batches_max)})
    if (number < 1)
      return invalid_argument(
          std::string(name) + " must be at least 1, but is " + std::to_string(number));
  constexpr std::chrono::microseconds least(0), most = std::chrono::hours(24 * 365);
  if (limits.timeout < least || limits.timeout > most)
    return invalid_argument(
        "batch_timeout_micros must not be negative, nor more than a year, but is " +
        std::to_string(limits.timeout.count()));
  auto status = check_allowed(limits.allowed_rows, limits.rows_max);
  if (!status.ok()) return status;
  return limits;
}

int64_t BatchLimits::padded(int64_t rows) const {
  auto allowed = std::ranges::lower_bound(allowed_rows, rows);
  return allowed == allowed_rows.end() ? rows : *allowed;
}

Result<uint64_t> BatcherResource::add_to(Queue& queue, const std::shared_ptr<BatchTask>& task) {
  if (task->rows > limits_.rows_max)
    return invalid_argument(
        "Task size " + std::to_string(task->rows) + " is larger than maximum batch size " +
        std::to_string(limits_.rows_max));
  if (queue.empty() || queue.back().rows + task->rows > limits_.rows_max) {
    if (!queue.empty() && std::ssize(queue) >= limits_.batches_max)
      return Status(
          Code::unavailable, "The batch scheduling queue to which this task was submitted is full");
    queue.push_back({.number = ++batch_count_});
  }
  task->id = ++task_count_;
  queue.back().tasks.push_back(task);
  queue.back().rows += task->rows;
  return queue.back().number;
}

Status BatcherResource::add(
    const std::string& queue, std::shared_ptr<BatchTask> task, const Timer& timer, Device& device) {
  std::vector<BatchTasks> ready;
  uint64_t begun = 0;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped()) return gone();
    auto& batches = queues_[queue];
    auto number = add_to(batches, task);
    if (!number) return number.status();
    auto waits = timer && limits_.timeout.count() > 0;
    if (!waits) batches.back().is_due = true;
    else if (batches.back().tasks.size() == 1) begun = *number;
    ready = take_ready();
  }
  process(std::move(ready), device);
  if (begun > 0)
    timer(limits_.timeout, [weak = weak_from_this(), begun, &device] {
      if (auto batcher = weak.lock()) batcher->time_is_up(begun, device);
    });
  return {};
}

void BatcherResource::time_is_up(uint64_t number, Device& device) {
  std::vector<BatchTasks> ready;
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, queue] : queues_)
      for (auto& batch : queue)
        if (batch.number == number) batch.is_due = true;
    ready = take_ready();
  }
  process(std::move(ready), device);
}

/// Takes the batches out whose turn it is.
std::vector<BatchTasks> BatcherResource::take_ready() {
  std::vector<BatchTasks> ready;
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    auto& batches = queue->second;
    while (running_ < limits_.parallel && !batches.empty()) {
      auto& first = batches.front();
      if (batches.size() == 1 && first.rows < limits_.rows_max && !first.is_due) break;
      if (!first.tasks.empty()) {
        ready.push_back(std::move(first.tasks));
        ++running_;
      }
      batches.pop_front();
    }
    queue = batches.empty() ? queues_.erase(queue) : std::next(queue);
  }
  return ready;
}

void BatcherResource::process(std::vector<BatchTasks> batches, Device& device) {
  for (auto& tasks : batches)
    device.enqueue([self = shared_from_this(), tasks = std::move(tasks), &device] {
      auto ended = [self, &device] {
        std::vector<BatchTasks> ready;
        {
          std::lock_guard lock(self->mutex_);
          --self->running_;
          ready = self->take_ready();
        }
        self->process(std::move(ready), device);
      };
      auto process = tasks.back()->process;
      process(tasks, std::move(ended));
    });
}

void BatcherResource::give_up(const std::shared_ptr<BatchTask>& task) {
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, queue] : queues_)
      for (auto& batch : queue)
        if (std::erase(batch.tasks, task) > 0) batch.rows -= task->rows;
  }
  task->answer(cancelled("the step that gave rows to a batch has ended"));
}

void BatcherResource::drop() {
  std::map<std::string, Queue> queues;
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    queues.swap(queues_);
  }
  for (auto& [name, queue] : queues)
    for (auto& batch : queue)
      for (auto& task : batch.tasks) task->answer(gone());
}

void add_batcher_kind(ResourceKindCatalog& catalog) {
  for (const auto* op : {"Batch", "BatchFunction"})
    catalog.add(
        {.name = BatcherResource::kind_name,
         .handle_op = op,
         .make = [](const Node& node) -> Result<std::shared_ptr<Resource>> {
           auto limits = BatchLimits::of(node);
           if (!limits) return limits.status();
           return std::shared_ptr<Resource>(std::make_shared<BatcherResource>(*std::move(limits)));
         },
         .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
