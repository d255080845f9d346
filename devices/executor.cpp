#include "troupe/devices/executor.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "troupe/devices/launch_outputs.hpp"
#include "troupe/devices/pending_counts.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe {
namespace {

// A caller's thread (an actor's) runs this much before the device's threads take over.
constexpr int64_t caller_budget_ns = 100'000;
// A launch that costs more becomes a task when something else could run meanwhile.
constexpr int64_t task_worth_ns = 20'000;

/// A node that became ready and that this thread will run.
struct ReadyNode {
  int32_t index;
  bool is_dead;
};
// Newest first.
using Ready = std::vector<ReadyNode>;

// Whose thread runs nodes: a caller of ours, which wants it back soon, or the device.
enum class On { caller, device };

class PlanExecution final : public Execution, public std::enable_shared_from_this<PlanExecution> {
 public:
  PlanExecution(
      std::shared_ptr<const Plan> plan, std::shared_ptr<StepPort> port,
      std::function<void(Status)> done, std::shared_ptr<StepTrace> trace)
      : plan_(std::move(plan)),
        port_(std::move(port)),
        done_(std::move(done)),
        trace_(std::move(trace)),
        slots_(static_cast<size_t>(plan_->slot_count())),
        counts_(*plan_) {
    for (const auto& [slot, value] : plan_->constants()) slots_[slot] = value;
  }

  void start() {
    Ready ready;
    const auto& sources = plan_->sources();
    for (auto source = sources.rbegin(); source != sources.rend(); ++source)
      ready.push_back({*source, false});
    run(ready, On::caller);
  }

  void cancel(Status why) override { fail(std::move(why)); }

  std::vector<WaitingNode> waits() const override {
    std::lock_guard lock(mutex_);
    std::vector<WaitingNode> found;
    for (const auto* waiting : waiting_)
      found.push_back(
          {waiting->item.node, waiting->item.kernel->awaits, waiting->item.kernel->awaits_from});
    return found;
  }

 private:
  /// A launch of a kernel that waits lives on the heap until it is done.
  struct Waiting final : WaitCanceller {
    Waiting(PlanExecution& execution, const Plan::NodeItem& item)
        : execution(execution),
          item(item),
          outputs(item.output_count),
          launch(
              execution.plan_->device(), execution.launch_step(this), execution.inputs_of(item),
              outputs.span()) {}

    void on_cancel(std::function<void()> hook) override {
      execution.set_cancel_hook(*this, std::move(hook));
    }

    PlanExecution& execution;
    const Plan::NodeItem& item;
    LaunchOutputs outputs;
    Launch launch;
    std::function<void()> cancel_hook;  // under the execution's mutex
    // The kernel may finish inside start(): then its followers join the nodes of that thread.
    std::atomic<bool> returned_or_done{false};
    Status status;
    // For the trace: what a node without outputs takes in is what it gives away.
    StepTrace::Time began{0};
    uint64_t bytes = 0;
  };

  // -- running nodes

  /// Runs the ready nodes and what becomes ready by them. The caller holds one unit of pending_.
  void run(Ready& ready, On thread) {
    auto budget_ns = caller_budget_ns;
    while (!ready.empty() && !failed_.load(std::memory_order_relaxed)) {
      auto node = ready.back();
      const auto& item = item_of(node);
      if (has_dead_.load(std::memory_order_relaxed) && is_left_out(node, item)) {
        ready.pop_back();
        pass_on_dead(item, ready);
        continue;
      }
      if (item.waits) {
        ready.pop_back();
        start_waiting(item, ready);
        continue;
      }
      LaunchOutputs outputs(item.output_count);
      Launch launch(plan_->device(), launch_step(nullptr), inputs_of(item), outputs.span());
      auto cost = cost_of(item, launch);
      if (thread == On::caller && (budget_ns -= cost) < 0) return hand_over(ready);
      ready.pop_back();
      if (cost > task_worth_ns && !ready.empty()) {
        run_as_task({node});
        continue;
      }
      finish(item, compute(node, launch, outputs.span()), outputs.span(), ready);
    }
    release();
  }

  /// Whether the node does not run as its inputs are dead. A kernel that takes dead inputs finds
  /// them unset.
  bool is_left_out(const ReadyNode& node, const Plan::NodeItem& item) {
    auto inputs = inputs_of(item);
    auto is_dead = node.is_dead || (!item.merges && !std::ranges::all_of(inputs, &Tensor::is_set));
    if (!is_dead) return false;
    if (!item.kernel->takes_dead) return true;
    for (auto& input : inputs) input = Tensor();
    return false;
  }

  const Plan::NodeItem& item_of(const ReadyNode& node) const {
    return plan_->items()[static_cast<size_t>(node.index)];
  }

  LaunchStep launch_step(WaitCanceller* canceller) {
    return {.port = port_.get(), .resources = &resources_, .canceller = canceller};
  }

  std::span<Tensor> inputs_of(const Plan::NodeItem& item) {
    return {slots_.data() + item.first_slot, static_cast<size_t>(item.input_count)};
  }

  static int64_t cost_of(const Plan::NodeItem& item, const Launch& launch) {
    if (item.has_cost) return item.kernel->cost_ns(launch);
    int64_t elements = 0;
    for (int i = 0; i < launch.input_count(); ++i)
      if (launch.input(i).is_set()) elements += launch.input(i).elements();
    return 50 + elements / 2;
  }

  /// Gives all ready nodes to the device's threads, and the caller's unit of pending_ with them.
  void hand_over(Ready& ready) {
    plan_->device().enqueue([self = shared_from_this(), nodes = std::move(ready)]() mutable {
      self->run(nodes, On::device);
    });
  }

  void run_as_task(Ready nodes) {
    pending_.fetch_add(1, std::memory_order_relaxed);
    plan_->device().enqueue([self = shared_from_this(), nodes = std::move(nodes)]() mutable {
      self->compute_as_task(nodes);
    });
  }

  /// Runs one node without asking again whether it is worth a task.
  void compute_as_task(Ready& ready) {
    auto node = ready.back();
    ready.pop_back();
    const auto& item = item_of(node);
    LaunchOutputs outputs(item.output_count);
    Launch launch(plan_->device(), launch_step(nullptr), inputs_of(item), outputs.span());
    finish(item, compute(node, launch, outputs.span()), outputs.span(), ready);
    run(ready, On::device);
  }

  Status compute(const ReadyNode& node, Launch& launch, std::span<const Tensor> outputs) {
    if (!trace_) return compute(node, launch);
    const auto& item = item_of(node);
    auto begin = trace_->elapsed();
    auto bytes = item.output_count == 0 ? bytes_of(inputs_of(item)) : 0;
    auto status = compute(node, launch);
    trace_->add(*plan_, item.node, begin, bytes + bytes_of(outputs));
    return status;
  }

  /// A library below may throw what its kernel does not know of: that is the node's error.
  Status compute(const ReadyNode& node, Launch& launch) {
    try {
      return plan_->computes()[static_cast<size_t>(node.index)](launch);
    } catch (const std::bad_alloc&) {
      return resource_exhausted("the process has no memory left for the kernel");
    } catch (const std::exception& error) {
      return internal(std::string("the kernel threw: ") + error.what());
    }
  }

  // -- kernels that wait

  void start_waiting(const Plan::NodeItem& item, Ready& ready) {
    if (item.kernel->try_now && try_now(item, ready)) return;
    auto waiting = std::make_shared<Waiting>(*this, item);
    pending_.fetch_add(1, std::memory_order_relaxed);
    {
      std::lock_guard lock(mutex_);
      waiting_.push_back(waiting.get());
    }
    if (trace_) note_begin(*waiting);
    item.kernel->start(waiting->launch, [self = shared_from_this(), waiting](Status status) {
      self->wait_ended(waiting, std::move(status));
    });
    if (!waiting->returned_or_done.exchange(true, std::memory_order_acq_rel)) return;
    pending_.fetch_sub(1, std::memory_order_relaxed);  // it was done at once: this thread goes on
    finish(item, waiting->status, waiting->outputs.span(), ready);
  }

  bool try_now(const Plan::NodeItem& item, Ready& ready) {
    LaunchOutputs outputs(item.output_count);
    Launch launch(plan_->device(), launch_step(nullptr), inputs_of(item), outputs.span());
    auto begin = trace_ ? trace_->elapsed() : StepTrace::Time(0);
    auto status = item.kernel->try_now(launch);
    if (!status) return false;
    if (trace_) trace_->add(*plan_, item.node, begin, bytes_of(outputs.span()));
    finish(item, *status, outputs.span(), ready);
    return true;
  }

  /// On whatever thread woke the kernel; what follows is posted (EX-2).
  void wait_ended(const std::shared_ptr<Waiting>& waiting, Status status) {
    std::function<void()> unused;
    {
      std::lock_guard lock(mutex_);
      std::erase(waiting_, waiting.get());
      unused.swap(waiting->cancel_hook);
    }
    waiting->status = std::move(status);
    if (trace_) note_end(*waiting);
    if (!waiting->returned_or_done.exchange(true, std::memory_order_acq_rel)) return;
    port_->post([self = shared_from_this(), waiting] {
      Ready ready;
      self->finish(waiting->item, waiting->status, waiting->outputs.span(), ready);
      self->run(ready, On::caller);
    });
  }

  void set_cancel_hook(Waiting& waiting, std::function<void()> hook) {
    {
      std::lock_guard lock(mutex_);
      if (error_.ok()) {
        waiting.cancel_hook = std::move(hook);
        return;
      }
    }
    hook();
  }

  void note_begin(Waiting& waiting) {
    waiting.began = trace_->elapsed();
    if (waiting.item.output_count == 0) waiting.bytes = bytes_of(inputs_of(waiting.item));
  }
  void note_end(Waiting& waiting) {
    waiting.bytes += bytes_of(waiting.outputs.span());
    trace_->add(*plan_, waiting.item.node, waiting.began, waiting.bytes);
  }

  // -- passing values on

  /// Passes the outputs of a node on to those that wait for them.
  void finish(
      const Plan::NodeItem& item, const Status& status, std::span<Tensor> outputs, Ready& ready) {
    for (auto& input : inputs_of(item)) input = Tensor();
    if (!status.ok()) return fail(status.at(plan_->where(item)));
    auto alone = is_alone();
    for (const auto& edge : edges_of(item)) {
      if (edge.slot < 0) {
        arrive(edge, is_dead(outputs), alone, ready);
      } else {
        auto& output = outputs[edge.output];
        pass(edge, edge.last ? std::move(output) : output, alone, ready);
      }
    }
  }

  /// A _Recv of a dead value is dead as a whole; a Switch sets one of its outputs.
  static bool is_dead(std::span<const Tensor> outputs) {
    return !outputs.empty() && std::ranges::none_of(outputs, &Tensor::is_set);
  }

  void pass_on_dead(const Plan::NodeItem& item, Ready& ready) {
    for (auto& input : inputs_of(item)) input = Tensor();
    auto alone = is_alone();
    for (const auto& edge : edges_of(item)) arrive(edge, /*is_dead=*/true, alone, ready);
  }

  /// Whether this thread, which has one unit of pending_, has the only one: then no other thread
  /// works on the step before this one starts it.
  bool is_alone() const { return pending_.load(std::memory_order_acquire) == 1; }

  void pass(const Plan::Edge& edge, Tensor value, bool alone, Ready& ready) {
    auto is_dead = !value.is_set();
    if (!edge.merges || (!is_dead && counts_.claim(edge.node)))
      slots_[edge.slot] = std::move(value);
    else if (!is_dead) return;  // another input was there before
    arrive(edge, is_dead, alone, ready);
  }

  void arrive(const Plan::Edge& edge, bool is_dead, bool alone, Ready& ready) {
    if (is_dead) has_dead_.store(true, std::memory_order_relaxed);  // published by the count
    switch (counts_.arrive(*plan_, edge, is_dead, alone)) {
      case PendingCounts::State::waits: return;
      case PendingCounts::State::ready: return ready.push_back({edge.node, false});
      case PendingCounts::State::dead: return ready.push_back({edge.node, true});
    }
  }

  std::span<const Plan::Edge> edges_of(const Plan::NodeItem& item) const {
    return std::span(plan_->edges()).subspan(item.first_edge, item.edge_count);
  }

  // -- ends

  void fail(Status status) {
    std::vector<std::function<void()>> hooks;
    {
      std::lock_guard lock(mutex_);
      if (!error_.ok()) return;
      error_ = status;
      for (auto* waiting : waiting_)
        if (waiting->cancel_hook) hooks.push_back(std::exchange(waiting->cancel_hook, nullptr));
    }
    failed_.store(true, std::memory_order_relaxed);
    port_->fail(cancelled("the step has failed: " + status.message()));
    for (auto& hook : hooks) hook();  // EX-3
  }

  /// Gives back one unit of pending_; the last one ends the step, once the device's stream has done
  /// what was put there.
  void release() {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    slots_.clear();
    auto* stream = plan_->device().stream();
    if (!stream) return report({});
    stream->when_done([self = shared_from_this()](const Status& status) { self->report(status); });
  }

  void report(const Status& stream_status) {
    auto status = error();
    std::exchange(done_, nullptr)(status.ok() ? stream_status : status);
  }

  /// A cancel() may come while the last node ends.
  Status error() {
    std::lock_guard lock(mutex_);
    return error_;
  }

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<StepPort> port_;
  std::function<void(Status)> done_;
  const std::shared_ptr<StepTrace> trace_;  // null where nobody asked for it
  std::vector<Tensor> slots_;
  PendingCounts counts_;
  StepResources resources_;
  std::atomic<int32_t> pending_{1};  // threads and waiting kernels that still work on the step
  std::atomic<bool> failed_{false};
  std::atomic<bool> has_dead_{false};  // most steps have no dead value, and need not look for any
  mutable std::mutex mutex_;
  Status error_;
  std::vector<Waiting*> waiting_;
};

}  // namespace

std::shared_ptr<Execution> start(
    std::shared_ptr<const Plan> plan, std::shared_ptr<StepPort> port,
    std::function<void(Status)> done, std::shared_ptr<StepTrace> trace) {
  auto execution = std::make_shared<PlanExecution>(
      std::move(plan), std::move(port), std::move(done), std::move(trace));
  execution->start();
  return execution;
}

}  // namespace troupe
