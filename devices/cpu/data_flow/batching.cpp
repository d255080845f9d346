#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/batch_rows.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/data/dataset_function.hpp"
#include "troupe/devices/data/iteration.hpp"
#include "troupe/devices/resources/data_flow/batcher.hpp"

namespace troupe::cpu {
namespace {

/// The rows that the first `count` inputs have.
Result<int64_t> rows_input(const Launch& launch, int count) {
  for (int i = 0; i < count; ++i) {
    const auto& shape = launch.input(i).shape();
    if (shape.is_scalar())
      return invalid_argument("Batching input tensors must have at least one dimension");
    if (shape[0] != launch.input(0).shape()[0])
      return invalid_argument(
          "Batching input tensors supplied in a given op invocation must have equal 0th-dimension "
          "size");
    if (is_opaque(launch.input(i).dtype())) return not_copied(launch.input(i).dtype());
  }
  return count > 0 ? launch.input(0).shape()[0] : int64_t{0};
}

/// What the tasks bring, one after the other, padded to an allowed number of rows.
Result<Tensors> gather_rows(
    const BatchTasks& tasks, const BatchLimits& limits, Allocator& allocator) {
  int64_t rows = 0;
  for (const auto& task : tasks) {
    if (task->inputs.size() != tasks[0]->inputs.size())
      return invalid_argument("Batching inputs must have equal number of edges");
    rows += task->rows;
  }
  auto padding = limits.padded(rows) - rows;
  Tensors gathered;
  for (size_t i = 0; i < tasks[0]->inputs.size(); ++i) {
    Tensors parts;
    for (const auto& task : tasks) parts.push_back(task->inputs[i]);
    auto whole = join_rows(parts, padding, allocator);
    if (!whole) return whole.status();
    gathered.push_back(*std::move(whole));
  }
  return gathered;
}

/// Without rows.
Result<Tensor> none_of(const Tensor& tensor, Allocator& allocator) {
  auto shape = tensor.shape();
  shape.set(0, 0);
  return Tensor::allocate(tensor.dtype(), shape, allocator);
}

Result<Tensors> outputs_without_rows(const BatchTask& task, Allocator& allocator) {
  Tensors outputs;
  for (const auto& input : task.inputs) {
    auto none = none_of(input, allocator);
    if (!none) return none.status();
    outputs.push_back(*std::move(none));
  }
  outputs.push_back(Tensor::of<int64_t>({0, 3}, {}));
  outputs.push_back(Tensor::scalar<int64_t>(task.id));
  return outputs;
}

Tensor index_of(const BatchTasks& tasks) {
  std::vector<int64_t> numbers;
  int64_t begin = 0;
  for (const auto& task : tasks) {
    numbers.insert(numbers.end(), {task->id, begin, begin + task->rows});
    begin += task->rows;
  }
  return Tensor::of<int64_t>({std::ssize(tasks), 3}, std::span<const int64_t>(numbers));
}

/// The last task gets all rows.
void answer_batch(const BatchTasks& tasks, const BatchLimits& limits, Allocator& allocator) {
  auto gathered = gather_rows(tasks, limits, allocator);
  for (const auto& task : tasks) {
    if (!gathered) {
      task->answer(gathered.status());
    } else if (task != tasks.back()) {
      task->answer(outputs_without_rows(*task, allocator));
    } else {
      gathered->push_back(index_of(tasks));
      gathered->push_back(Tensor::scalar<int64_t>(task->id));
      task->answer(*std::move(gathered));
    }
  }
}

/// Gives the rows of the first `count` inputs to the batcher that is the last input.
void start_task(
    Launch& launch, Kernel::Done done, int count, const std::string& queue,
    const std::function<BatchTask::Process(std::shared_ptr<BatcherResource>)>& make_process) {
  auto found = resource_input<BatcherResource>(launch, launch.input_count() - 1);
  if (!found) return done(found.status());
  auto rows = rows_input(launch, count);
  if (!rows) return done(rows.status());
  auto batcher = (*found)->shared_from_this();
  auto task = std::make_shared<BatchTask>();
  task->rows = *rows;
  for (int i = 0; i < count; ++i) task->inputs.push_back(launch.input(i));
  task->process = make_process(batcher);
  task->answered = [&launch, done](Result<Tensors> answer) {
    if (!answer) return done(answer.status());
    for (size_t i = 0; i < answer->size(); ++i)
      launch.set(static_cast<int>(i), std::move((*answer)[i]));
    done({});
  };
  launch.on_cancel([batcher, task] { batcher->give_up(task); });
  auto& device = launch.device();
  auto status = batcher->add(queue, task, launch.port().timer(), device);
  if (!status.ok()) task->answer(status);
}

Result<Kernel> make_batch_kernel(const Node& node) {
  auto limits = BatchLimits::of(node);
  if (!limits) return limits.status();
  Kernel kernel;
  kernel.start = [queue = node.attr<std::string>("batching_queue")](
                     Launch& launch, Kernel::Done done) {
    auto make_process = [&launch](const std::shared_ptr<BatcherResource>& batcher) {
      return [limits = batcher->limits(), &device = launch.device()](
                 const BatchTasks& tasks, const std::function<void()>& ended) {
        answer_batch(tasks, limits, device.allocator());
        ended();
      };
    };
    start_task(launch, std::move(done), launch.input_count() - 1, queue, make_process);
  };
  kernel.awaits = "the rows of other steps";
  return kernel;
}

/// Each task gets its rows of the results.
Status answer_tasks(const BatchTasks& tasks, const Tensors& results, Allocator& allocator) {
  int64_t rows = 0;
  for (const auto& task : tasks) rows += task->rows;
  std::vector<Tensors> of_tasks(tasks.size());
  for (const auto& result : results) {
    if (result.shape().is_scalar() || result.shape()[0] < rows)
      return failed_precondition(
          "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes "
          "of the input tensors");
    if (is_opaque(result.dtype())) return not_copied(result.dtype());
    int64_t begin = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
      auto part = rows_of(result, begin, tasks[i]->rows, allocator);
      if (!part) return part.status();
      of_tasks[i].push_back(*std::move(part));
      begin += tasks[i]->rows;
    }
  }
  for (size_t i = 0; i < tasks.size(); ++i) tasks[i]->answer(std::move(of_tasks[i]));
  return {};
}

/// A function that processes batches.
struct BatchedFunction {
  data::SharedFunction function;
  std::shared_ptr<const Tensors> captured;
  BatchLimits limits;

  void process(const BatchTasks& tasks, const std::function<void()>& ended, Device& device) const {
    auto fail = [tasks, ended](const Status& status) {
      for (const auto& task : tasks) task->answer(status);
      ended();
    };
    auto gathered = gather_rows(tasks, limits, device.allocator());
    if (!gathered) return fail(gathered.status());
    auto iteration = std::make_shared<data::Iteration>(device);
    auto answer = [tasks, ended, fail, iteration, &device](const data::Pulled& results) {
      if (!results.ok()) return fail(results.status());
      auto status = answer_tasks(tasks, **results, device.allocator());
      if (!status.ok()) return fail(status);
      ended();
    };
    auto done = function->call(
        *std::move(gathered), captured, data::AtOutOfRange::fails, *iteration, answer);
    if (done) answer(*done);
  }
};

Result<Kernel> make_batch_function(const Node& node, const Graph& graph, Device& device) {
  auto limits = BatchLimits::of(node);
  if (!limits) return limits.status();
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>("f"), node, graph, device);
  if (!function) return function.status();
  for (auto status :
       {(*function)->check_arguments(node.attr<DTypes>("Tin"), node.attr<DTypes>("Tcaptured")),
        (*function)->check_results(node.attr<DTypes>("Tout"))})
    if (!status.ok()) return status;
  Kernel kernel;
  kernel.start = [function = *std::move(function), limits = *std::move(limits),
                  count = static_cast<int>(node.attr<DTypes>("Tin").size()),
                  queue = node.attr<std::string>("batching_queue")](
                     Launch& launch, Kernel::Done done) {
    auto make_process = [&](const std::shared_ptr<BatcherResource>&) {
      Tensors captured;
      for (int i = count; i + 1 < launch.input_count(); ++i) captured.push_back(launch.input(i));
      BatchedFunction batched{
          function, std::make_shared<const Tensors>(std::move(captured)), limits};
      return [batched, &device = launch.device()](
                 const BatchTasks& tasks, const std::function<void()>& ended) {
        batched.process(tasks, ended, device);
      };
    };
    start_task(launch, std::move(done), count, queue, make_process);
  };
  kernel.awaits = "the rows of other steps, and the function that takes them";
  return kernel;
}

}  // namespace

void add_batching_kernels(KernelCatalog& catalog) {
  catalog.add("Batch", make_batch_kernel);
  catalog.add_linked("BatchFunction", make_batch_function);
  add_unbatching_kernels(catalog);
}

}  // namespace troupe::cpu
