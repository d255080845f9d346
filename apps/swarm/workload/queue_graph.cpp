#include "troupe/apps/swarm/workload/queue_graph.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

const char* queue_op(SharedQueue::Kind kind) {
  switch (kind) {
    case SharedQueue::Kind::fifo: return "FIFOQueueV2";
    case SharedQueue::Kind::padding_fifo: return "PaddingFIFOQueueV2";
    case SharedQueue::Kind::random_shuffle: return "RandomShuffleQueueV2";
    case SharedQueue::Kind::priority: return "PriorityQueueV2";
  }
  CHECK(false);
}

bool has_priority(const SharedQueue& queue) { return queue.kind == SharedQueue::Kind::priority; }

Shapes element_shapes(const SharedQueue& queue) {
  auto payload = queue.kind == SharedQueue::Kind::padding_fifo ? Shape{Shape::unknown} : Shape{2};
  return {Shape(), payload};
}

Value add_handle(const Builder& b, const SharedQueue& queue) {
  Attrs attrs{
      {"component_types", DTypes{DType::int64, DType::float32}},
      {"shapes", element_shapes(queue)},
      {"capacity", queue.capacity},
      {"container", queue.container},
      {"shared_name", queue.name}};
  if (queue.kind == SharedQueue::Kind::random_shuffle) {
    attrs.insert({"min_after_dequeue", queue.min_after_dequeue});
    attrs.insert({"seed", int64_t{7}});
  }
  return b.op(queue_op(queue.kind), {}, std::move(attrs));
}

Values add_placeholders(const Builder& b, const SharedQueue& queue, bool is_batch) {
  Values placeholders;
  auto add = [&](DType dtype, Shape shape) {
    placeholders.push_back(b.placeholder(dtype, std::move(shape)));
  };
  auto scalars = is_batch ? Shape{Shape::unknown} : Shape();
  if (has_priority(queue)) add(DType::int64, scalars);
  add(DType::int64, scalars);
  add(DType::float32, is_batch ? Shape{Shape::unknown, Shape::unknown} : Shape{Shape::unknown});
  return placeholders;
}

/// The components of a dequeue, used by the task that reads them.
Values add_take(const Builder& b, const SharedQueue& queue, const char* op, const Values& inputs) {
  DTypes dtypes{DType::int64, DType::float32};
  if (has_priority(queue)) dtypes.insert(dtypes.begin(), DType::int64);
  auto taken = b.op(op, inputs, {{"component_types", dtypes}});
  Values read;
  for (int i = 0; i < static_cast<int>(dtypes.size()); ++i)
    read.push_back(b.on(queue.reader).identity(taken.output(i)));
  return read;
}

Values with_first(const Value& first, Values others) {
  others.insert(others.begin(), first);
  return others;
}

}  // namespace

QueueOps add_queue(const Builder& builder, const SharedQueue& queue) {
  auto b = builder.on(queue.task);
  auto handle = add_handle(b, queue);
  QueueOps ops{
      .handle = handle,
      .element = add_placeholders(builder, queue, false),
      .rows = add_placeholders(builder, queue, true),
      .count = builder.placeholder(DType::int32, {})};
  ops.put = b.op("QueueEnqueueV2", with_first(handle, ops.element));
  ops.put_many = b.op("QueueEnqueueManyV2", with_first(handle, ops.rows));
  ops.take = add_take(b, queue, "QueueDequeueV2", {handle});
  ops.take_many = add_take(b, queue, "QueueDequeueManyV2", {handle, ops.count});
  ops.take_up_to = add_take(b, queue, "QueueDequeueUpToV2", {handle, ops.count});
  ops.size = b.op("QueueSizeV2", {handle});
  ops.close = b.op("QueueCloseV2", {handle});
  ops.close_with_cancel = b.op("QueueCloseV2", {handle}, {{"cancel_pending_enqueues", true}});
  return ops;
}

RunnerOps add_runner(const Builder& builder, const SharedRunner& runner) {
  RunnerOps ops{.from = add_queue(builder, runner.from), .to = add_queue(builder, runner.to)};
  ops.move =
      builder.on(runner.to.task).op("QueueEnqueueV2", with_first(ops.to.handle, ops.from.take));
  return ops;
}

std::vector<Feed> feeds_of_put(
    const QueueOps& ops, const QueueModel& model, int64_t first, int64_t count, bool is_batch) {
  std::vector<int64_t> numbers, priorities;
  std::vector<float> payloads;
  auto length = model.payload_length(first);
  for (auto number = first; number < first + count; ++number) {
    numbers.push_back(number);
    priorities.push_back(QueueModel::priority(number));
    payloads.insert(payloads.end(), static_cast<size_t>(length), static_cast<float>(number));
  }
  auto scalars = is_batch ? Shape{count} : Shape();
  auto rows = is_batch ? Shape{count, length} : Shape{length};
  Tensors components;
  if (has_priority(model.queue()))
    components.push_back(Tensor::of<int64_t>(scalars, std::span<const int64_t>(priorities)));
  components.push_back(Tensor::of<int64_t>(scalars, std::span<const int64_t>(numbers)));
  components.push_back(Tensor::of<float>(rows, std::span<const float>(payloads)));
  const auto& placeholders = is_batch ? ops.rows : ops.element;
  std::vector<Feed> feeds;
  for (size_t i = 0; i < placeholders.size(); ++i)
    feeds.push_back({placeholders[i], components[i]});
  return feeds;
}

std::optional<std::vector<int64_t>> numbers_taken(const QueueModel& model, const Tensors& taken) {
  auto values = taken[taken.size() - 2].values<int64_t>();
  std::vector<int64_t> numbers(values.begin(), values.end());
  auto payloads = taken.back().values<float>();
  auto width = numbers.empty() ? 0 : payloads.size() / numbers.size();
  size_t widest = 0;
  for (size_t row = 0; row < numbers.size(); ++row) {
    auto length = static_cast<size_t>(model.payload_length(numbers[row]));
    widest = std::max(widest, length);
    for (size_t i = 0; i < width; ++i)
      if (payloads[row * width + i] != (i < length ? static_cast<float>(numbers[row]) : 0))
        return {};
    if (has_priority(model.queue()) &&
        taken[0].values<int64_t>()[row] != QueueModel::priority(numbers[row]))
      return {};
  }
  if (width != widest) return {};
  return numbers;
}

QueueModel::Failure failure_of_take(
    const Status& status, const sim::Cluster& cluster, bool takes_elsewhere) {
  using Failure = QueueModel::Failure;
  auto code = status.code();
  if (code == Code::out_of_range && !takes_elsewhere) return Failure::takes_nothing;
  auto is_given_up = code == Code::cancelled || code == Code::deadline_exceeded ||
                     code == Code::aborted || code == Code::unavailable ||
                     code == Code::out_of_range;
  // A node may have failed just before.
  auto may_fail =
      std::ranges::count(cluster.faults(), sim::Fault::Kind::limit_memory, &sim::Fault::kind) > 0;
  return is_given_up && !may_fail ? Failure::puts_back : Failure::may_lose;
}

}  // namespace troupe::swarm
