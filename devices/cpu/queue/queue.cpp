#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/put_back.hpp"
#include "troupe/devices/cpu/queue/batch.hpp"
#include "troupe/devices/cpu/queue/queue_input.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

// More is copied by a thread of the device, and not by the one that happened to make it possible.
constexpr uint64_t copied_at_once_bytes = 256 * 1024;

Status check_timeout(const Node& node) {
  if (node.attr<int64_t>("timeout_ms") == -1) return {};
  return invalid_argument("Timeout not supported yet.");
}

// -- enqueues

Tensors component_inputs(const Launch& launch) {
  Tensors components;
  for (int i = 1; i < launch.input_count(); ++i) components.push_back(launch.input(i));
  return components;
}

void enqueue(Launch& launch, const QueueInput& queue, QueueRuns runs, Kernel::Done done) {
  auto ended = [&launch, queue, done = std::move(done)](const Status& status) {
    if (status.ok()) launch.note_change();
    done(queue.explain(status));
  };
  auto call = queue->enqueue(std::move(runs), std::move(ended), queue.by());
  launch.on_cancel([queue, call] { queue->give_up(call); });
}

/// Enqueues what `make` makes of the components, which copies that many bytes.
template <class Make>
void enqueue_copied(
    Launch& launch, const QueueInput& queue, uint64_t bytes, Make make, Kernel::Done done) {
  auto work = [&launch, queue, make, done = std::move(done)] {
    Result<QueueRuns> runs = make(component_inputs(launch), launch.device().allocator());
    if (!runs) return done(runs.status());
    enqueue(launch, queue, *std::move(runs), done);
  };
  if (bytes > copied_at_once_bytes) launch.device().enqueue(std::move(work));
  else work();
}

/// Enqueues the components as one run.
template <QueueRun (*to_run)(Tensors)>
void enqueue_run(Launch& launch, const QueueInput& queue, Kernel::Done done) {
  auto make = [](Tensors components, Allocator& allocator) -> Result<QueueRuns> {
    auto kept = in_kept_memory(std::move(components), allocator);
    if (!kept) return kept.status();
    return QueueRuns{to_run(*std::move(kept))};
  };
  auto bytes = lent_bytes(component_inputs(launch));
  enqueue_copied(launch, queue, bytes, make, std::move(done));
}

template <QueueRun (*to_run)(Tensors)>
std::optional<Status> try_enqueue_run(Launch& launch, QueueInput& queue, Tensors components) {
  if (lent_bytes(components) > copied_at_once_bytes) return {};
  auto kept = in_kept_memory(std::move(components), launch.device().allocator());
  if (!kept) return kept.status();
  auto run = to_run(*std::move(kept));
  auto ended = queue->try_enqueue(run, queue.by());
  if (ended && ended->ok()) launch.note_change();
  return ended ? std::optional(queue.explain(*ended)) : ended;
}

QueueRun to_element(Tensors components) { return {.components = std::move(components)}; }

std::shared_ptr<QueueNode> producer(const Node& node) {
  return std::make_shared<QueueNode>(node.name, QueueResource::Role::producer);
}

Result<Kernel> make_enqueue(const Node& node) {
  if (auto status = check_timeout(node); !status.ok()) return status;
  auto user = producer(node);
  auto start = [user](Launch& launch, Kernel::Done done) {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return done(queue.status());
    enqueue_run<to_element>(launch, *queue, std::move(done));
  };
  auto try_now = [user](Launch& launch) -> std::optional<Status> {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return queue.status();
    auto components = component_inputs(launch);
    auto status = (*queue)->spec().check_element(components);
    if (!status.ok()) return status;
    return try_enqueue_run<to_element>(launch, *queue, std::move(components));
  };
  return Kernel{
      .start = std::move(start), .try_now = std::move(try_now), .awaits = "room in its queue"};
}

Result<Kernel> make_enqueue_many(const Node& node) {
  if (auto status = check_timeout(node); !status.ok()) return status;
  auto user = producer(node);
  auto start = [user](Launch& launch, Kernel::Done done) {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return done(queue.status());
    if ((*queue)->spec().keeps_batches())
      return enqueue_run<QueueRun::rows_of>(launch, *queue, std::move(done));
    auto bytes = QueueRun::rows_of(component_inputs(launch)).bytes();
    enqueue_copied(launch, *queue, bytes, split, std::move(done));
  };
  auto try_now = [user](Launch& launch) -> std::optional<Status> {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return queue.status();
    auto components = component_inputs(launch);
    auto status = (*queue)->spec().check_batch(components);
    if (!status.ok() || components[0].shape()[0] == 0) return status;
    if (!(*queue)->spec().keeps_batches()) return {};
    return try_enqueue_run<QueueRun::rows_of>(launch, *queue, std::move(components));
  };
  return Kernel{
      .start = std::move(start), .try_now = std::move(try_now), .awaits = "room in its queue"};
}

// -- dequeues

/// What a dequeue asks for, and how it makes its outputs of what it gets.
struct QueueDemand {
  QueueResource::Dequeue elements;
  bool is_batch = false;
};

uint64_t bytes_of(const QueueRuns& runs) {
  uint64_t bytes = 0;
  for (const auto& run : runs) bytes += run.bytes();
  return bytes;
}

void put_elements_back_unless_done(const Launch& launch, const QueueInput& queue, QueueRuns runs) {
  auto bytes = bytes_of(runs);
  put_back_unless_done(
      launch, bytes,
      [queue = queue.shared(), runs = std::move(runs)]() mutable {
        queue->put_back(std::move(runs));
      },
      [queue = queue.shared()] { return QueueResource::await_return(queue); });
}

Status set_outputs(
    Launch& launch, const QueueInput& queue, const QueueDemand& demand, QueueRuns runs) {
  auto& allocator = launch.device().allocator();
  auto components =
      demand.is_batch ? batch_of(queue->spec(), runs, allocator) : element_of(runs[0], allocator);
  if (!components) {
    queue->put_back(std::move(runs));
    return components.status();
  }
  put_elements_back_unless_done(launch, queue, std::move(runs));
  for (size_t i = 0; i < components->size(); ++i)
    launch.set(static_cast<int>(i), std::move((*components)[i]));
  return {};
}

/// The least that a batch takes, as far as it is known before.
bool is_copied_at_once(const QueueSpec& spec, int64_t count) {
  uint64_t row = 0;
  for (size_t i = 0; i < spec.dtypes.size(); ++i)
    row += size_of(spec.dtypes[i]) *
           static_cast<uint64_t>(spec.shapes[i].is_known() ? spec.shapes[i].elements() : 1);
  return row <= copied_at_once_bytes / static_cast<uint64_t>(std::max<int64_t>(count, 1));
}

void start_dequeue(
    Launch& launch, const QueueInput& queue, const QueueDemand& demand, Kernel::Done done) {
  auto finish = [&launch, queue, demand, done](QueueRuns runs) {
    done(set_outputs(launch, queue, demand, std::move(runs)));
  };
  auto taken = [&launch, queue, finish, done](Result<QueueRuns> runs) {
    if (!runs) return done(queue.explain(runs.status()));
    if (bytes_of(*runs) <= copied_at_once_bytes) return finish(*std::move(runs));
    launch.device().enqueue([finish, runs = *std::move(runs)] { finish(runs); });
  };
  auto call = queue->dequeue(demand.elements, std::move(taken), queue.by());
  launch.on_cancel([queue, call] { queue->give_up(call); });
}

std::optional<Status> try_dequeue(
    Launch& launch, const QueueInput& queue, const QueueDemand& demand) {
  if (demand.is_batch && !is_copied_at_once(queue->spec(), demand.elements.count)) return {};
  auto runs = queue->try_dequeue(demand.elements, queue.by());
  if (!runs) return {};
  if (!*runs) return queue.explain(runs->status());
  return set_outputs(launch, queue, demand, **std::move(runs));
}

Status check_outputs(const QueueSpec& spec, const DTypes& outputs) {
  if (spec.dtypes == outputs) return {};
  auto text_of = [](const DTypes& dtypes) {
    std::string text;
    for (auto dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(to_string(dtype));
    return text;
  };
  return invalid_argument(
      "Signature mismatch, have: " + text_of(outputs) + " expected: " + text_of(spec.dtypes));
}

/// The n of an op that takes a batch; nothing where it cannot be asked for.
Result<int64_t> count_input(const Launch& launch, const QueueSpec& spec, bool may_be_less) {
  const auto& n = launch.input(1);
  if (!n.shape().is_scalar())
    return invalid_argument("n must be a scalar, but its shape is " + n.shape().to_string());
  auto count = int64_t{n.value<int32_t>()};
  if (count < 0)
    return invalid_argument(
        std::string(may_be_less ? "DequeueUpToOp" : "DequeueManyOp") + " requested " +
        std::to_string(count) + " < 0 elements");
  if (!spec.has_shapes())
    return invalid_argument(
        std::string(to_string(spec.kind)) +
        (spec.kind == QueueKind::priority
             ? "'s DequeueMany requires the components to have specified shapes."
             : "'s DequeueMany and DequeueUpTo require the components to have specified shapes."));
  return count;
}

/// Whether a kernel takes one element, or a batch of them.
enum class QueueTakes : uint8_t { element, batch, batch_or_rest };

Result<QueueDemand> demand_of(
    const Launch& launch, const QueueSpec& spec, QueueTakes takes, const DTypes& outputs) {
  if (auto status = check_outputs(spec, outputs); !status.ok()) return status;
  if (takes == QueueTakes::element) return QueueDemand();
  auto may_be_less = takes == QueueTakes::batch_or_rest;
  auto count = count_input(launch, spec, may_be_less);
  if (!count) return count.status();
  return QueueDemand{.elements = {.count = *count, .may_be_less = may_be_less}, .is_batch = true};
}

template <QueueTakes takes>
Result<Kernel> make_dequeue(const Node& node) {
  if (auto status = check_timeout(node); !status.ok()) return status;
  auto user = std::make_shared<QueueNode>(node.name, QueueResource::Role::consumer);
  auto start = [user, outputs = node.output_dtypes](Launch& launch, Kernel::Done done) {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return done(queue.status());
    auto demand = demand_of(launch, (*queue)->spec(), takes, outputs);
    if (!demand) return done(demand.status());
    start_dequeue(launch, *queue, *demand, std::move(done));
  };
  auto try_now = [user, outputs = node.output_dtypes](Launch& launch) -> std::optional<Status> {
    auto queue = QueueInput::of(launch, *user);
    if (!queue) return queue.status();
    auto demand = demand_of(launch, (*queue)->spec(), takes, outputs);
    if (!demand) return demand.status();
    if (demand->elements.count == 0) return set_outputs(launch, *queue, *demand, {});
    return try_dequeue(launch, *queue, *demand);
  };
  return Kernel{
      .start = std::move(start),
      .try_now = std::move(try_now),
      .awaits = takes == QueueTakes::element ? "an element of its queue" : "elements of its queue"};
}

// -- the rest

Result<Kernel> make_close(const Node& node) {
  auto cancels = node.attr<bool>("cancel_pending_enqueues");
  auto start = [cancels, name = node.name](Launch& launch, Kernel::Done done) {
    auto queue = QueueInput::of(launch, &name);
    if (!queue) return done(queue.status());
    auto ended = [queue = *queue, done = std::move(done)](const Status& status) {
      done(queue.explain(status));
    };
    auto call = (*queue)->close(cancels, std::move(ended), queue->by());
    launch.on_cancel([queue = *queue, call] { queue->give_up(call); });
  };
  return Kernel{.start = std::move(start), .awaits = "the enqueues before it, to close its queue"};
}

template <class T, class F>
Status set_fact(Launch& launch, const F& fact) {
  auto queue = QueueInput::of(launch);
  if (!queue) return queue.status();
  auto out = launch.allocate(dtype_of<T>(), {});
  if (!out) return out.status();
  *out->template mutable_data<T>() = fact(**queue);
  launch.set(0, *std::move(out));
  return {};
}

Status compute_size(Launch& launch) {
  return set_fact<int32_t>(
      launch, [](const QueueResource& queue) { return static_cast<int32_t>(queue.size()); });
}

Status compute_is_closed(Launch& launch) {
  return set_fact<bool>(launch, [](const QueueResource& queue) { return queue.is_closed(); });
}

Status pass_on_handle(Launch& launch) {
  launch.set(0, launch.input(0));
  return {};
}

}  // namespace

Result<QueueInput> QueueInput::of(const Launch& launch, const std::string* node) {
  auto queue = resource_input<QueueResource>(launch, 0);
  if (!queue) return queue.status();
  QueueInput input;
  input.handle_ = launch.input(0);
  input.queue_ = *queue;
  input.by_ = {&launch.port(), node};
  return input;
}

Result<QueueInput> QueueInput::of(const Launch& launch, QueueNode& node) {
  auto input = of(launch, &node.name());
  if (input) node.attach(input->handle());
  return input;
}

Status QueueInput::explain(const Status& status) const {
  return !status.ok() && queue_->is_dropped() ? gone(handle()) : status;
}

void add_queue_kernels(KernelCatalog& catalog) {
  for (const std::string form : {"", "V2"}) {
    catalog.add("QueueEnqueue" + form, make_enqueue);
    catalog.add("QueueEnqueueMany" + form, make_enqueue_many);
    catalog.add("QueueDequeue" + form, make_dequeue<QueueTakes::element>);
    catalog.add("QueueDequeueMany" + form, make_dequeue<QueueTakes::batch>);
    catalog.add("QueueDequeueUpTo" + form, make_dequeue<QueueTakes::batch_or_rest>);
    catalog.add("QueueClose" + form, make_close);
    catalog.add_compute("QueueSize" + form, compute_size);
    catalog.add_compute("QueueIsClosed" + form, compute_is_closed);
  }
  catalog.add_compute("FakeQueue", pass_on_handle);
}

}  // namespace troupe::cpu
