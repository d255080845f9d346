#include "troupe/devices/executor.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace troupe {
namespace {

// A caller's thread (an actor's) runs this much before the device's threads take over.
constexpr int64_t caller_budget_ns = 100'000;
// A launch that costs more becomes a task when something else could run meanwhile.
constexpr int64_t task_worth_ns = 20'000;

/// Room for a kernel's outputs without an allocation, as nearly all have few.
class Outputs {
 public:
  explicit Outputs(int count) : count_(static_cast<size_t>(count)) {
    if (count_ > few_.size()) many_.resize(count_);
  }
  std::span<Tensor> span() {
    return count_ > few_.size() ? std::span(many_) : std::span(few_).first(count_);
  }

 private:
  size_t count_;
  std::array<Tensor, 4> few_;
  std::vector<Tensor> many_;
};

// Nodes that became ready and that this thread will run, newest first.
using Ready = std::vector<int32_t>;

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
        waits_for_(new std::atomic<int32_t>[plan_->steps().size()]) {
    for (size_t i = 0; i < plan_->steps().size(); ++i)
      waits_for_[i].store(plan_->steps()[i].waits_for, std::memory_order_relaxed);
    for (const auto& [slot, value] : plan_->constants()) slots_[slot] = value;
  }

  void start() {
    Ready ready(plan_->sources().rbegin(), plan_->sources().rend());
    run(ready, On::caller);
  }

  void cancel(Status why) override { fail(std::move(why)); }

 private:
  // A launch of a waiting kernel lives on the heap until it is done.
  struct Waiting {
    Waiting(const Plan& plan, StepPort& port, std::span<Tensor> inputs, int output_count)
        : outputs(output_count), launch(plan.device(), &port, inputs, outputs.span()) {}
    Outputs outputs;
    Launch launch;
    // The kernel may finish inside start(): then its followers join the nodes of that thread.
    std::atomic<bool> returned_or_done{false};
    Status status;
    // For the trace: what a node without outputs takes in is what it gives away.
    StepTrace::Time began{0};
    uint64_t bytes = 0;
  };

  /// Runs the ready nodes and what becomes ready by them. The caller holds one part of the step.
  void run(Ready& ready, On thread) {
    auto budget_ns = caller_budget_ns;
    while (!ready.empty() && !failed_.load(std::memory_order_relaxed)) {
      auto index = ready.back();
      const auto& step = plan_->steps()[index];
      if (step.kernel.start) {
        ready.pop_back();
        start_waiting(step, ready);
        continue;
      }
      Outputs outputs(step.output_count);
      Launch launch(plan_->device(), port_.get(), inputs_of(step), outputs.span());
      auto cost = cost_of(step, launch);
      if (thread == On::caller && (budget_ns -= cost) < 0) return hand_over(ready);
      ready.pop_back();
      if (cost > task_worth_ns && !ready.empty()) {
        run_as_task({index});
        continue;
      }
      finish(step, compute(step, launch, outputs.span()), outputs.span(), ready);
    }
    end_part();
  }

  std::span<Tensor> inputs_of(const Plan::Step& step) {
    return {slots_.data() + step.first_slot, static_cast<size_t>(step.input_count)};
  }

  static int64_t cost_of(const Plan::Step& step, const Launch& launch) {
    if (step.kernel.cost_ns) return step.kernel.cost_ns(launch);
    int64_t elements = 0;
    for (int i = 0; i < launch.input_count(); ++i) elements += launch.input(i).elements();
    return 50 + elements / 2;
  }

  /// Gives all ready nodes to the device's threads, and the caller's part of the step with them.
  void hand_over(Ready& ready) {
    plan_->device().enqueue([self = shared_from_this(), nodes = std::move(ready)]() mutable {
      self->run(nodes, On::device);
    });
  }

  void run_as_task(Ready nodes) {
    parts_.fetch_add(1, std::memory_order_relaxed);
    plan_->device().enqueue([self = shared_from_this(), nodes = std::move(nodes)]() mutable {
      self->compute_as_task(nodes);
    });
  }

  /// Runs one node without asking again whether it is worth a task.
  void compute_as_task(Ready& ready) {
    const auto& step = plan_->steps()[ready.back()];
    ready.pop_back();
    Outputs outputs(step.output_count);
    Launch launch(plan_->device(), port_.get(), inputs_of(step), outputs.span());
    finish(step, compute(step, launch, outputs.span()), outputs.span(), ready);
    run(ready, On::device);
  }

  Status compute(const Plan::Step& step, Launch& launch, std::span<const Tensor> outputs) {
    if (!trace_) return compute(step, launch);
    auto begin = trace_->elapsed();
    auto status = compute(step, launch);
    trace_->add(*plan_, step.node, begin, bytes_of(outputs));
    return status;
  }

  /// A library below may throw what its kernel does not know of: that is the node's error.
  static Status compute(const Plan::Step& step, Launch& launch) {
    try {
      return step.kernel.compute(launch);
    } catch (const std::bad_alloc&) {
      return resource_exhausted("the process has no memory left for the kernel");
    } catch (const std::exception& error) {
      return internal(std::string("the kernel threw: ") + error.what());
    }
  }

  void start_waiting(const Plan::Step& step, Ready& ready) {
    auto waiting = std::make_shared<Waiting>(*plan_, *port_, inputs_of(step), step.output_count);
    parts_.fetch_add(1, std::memory_order_relaxed);
    if (trace_) note_begin(step, *waiting);
    step.kernel.start(waiting->launch, [self = shared_from_this(), &step, waiting](Status status) {
      waiting->status = std::move(status);
      if (self->trace_) self->note_end(step, *waiting);
      if (waiting->returned_or_done.exchange(true, std::memory_order_acq_rel))
        self->resume(step, *waiting);
    });
    if (!waiting->returned_or_done.exchange(true, std::memory_order_acq_rel)) return;
    parts_.fetch_sub(1, std::memory_order_relaxed);  // it was done at once: this thread goes on
    finish(step, waiting->status, waiting->outputs.span(), ready);
  }

  void note_begin(const Plan::Step& step, Waiting& waiting) {
    waiting.began = trace_->elapsed();
    if (step.output_count == 0) waiting.bytes = bytes_of(inputs_of(step));
  }
  void note_end(const Plan::Step& step, Waiting& waiting) {
    waiting.bytes += bytes_of(waiting.outputs.span());
    trace_->add(*plan_, step.node, waiting.began, waiting.bytes);
  }

  void resume(const Plan::Step& step, Waiting& waiting) {
    Ready ready;
    finish(step, waiting.status, waiting.outputs.span(), ready);
    run(ready, On::caller);
  }

  /// Passes the outputs of a node on to those who wait for them.
  void finish(
      const Plan::Step& step, const Status& status, std::span<Tensor> outputs, Ready& ready) {
    for (auto& input : inputs_of(step)) input = Tensor();
    if (!status.ok()) return fail(status.at(plan_->where(step)));
    auto edges = std::span(plan_->edges()).subspan(step.first_edge, step.edge_count);
    for (const auto& edge : edges) {
      if (edge.slot >= 0)
        slots_[edge.slot] = edge.last ? std::move(outputs[edge.output]) : outputs[edge.output];
      if (plan_->steps()[edge.node].waits_for == 1 ||
          waits_for_[edge.node].fetch_sub(1, std::memory_order_acq_rel) == 1)
        ready.push_back(edge.node);
    }
  }

  void fail(Status status) {
    {
      std::lock_guard lock(error_mutex_);
      if (!error_.ok()) return;
      error_ = status;
    }
    failed_.store(true, std::memory_order_relaxed);
    port_->fail(cancelled("the step has failed: " + status.message()));
  }

  /// Ends the caller's part of the step; the last one reports.
  void end_part() {
    if (parts_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    slots_.clear();
    std::exchange(done_, nullptr)(error());
  }

  /// A cancel() may come while the last part ends.
  Status error() {
    std::lock_guard lock(error_mutex_);
    return error_;
  }

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<StepPort> port_;
  std::function<void(Status)> done_;
  const std::shared_ptr<StepTrace> trace_;  // null where nobody asked for it
  std::vector<Tensor> slots_;
  std::unique_ptr<std::atomic<int32_t>[]> waits_for_;
  std::atomic<int32_t> parts_{1};  // threads and waiting kernels that still work on the step
  std::atomic<bool> failed_{false};
  std::mutex error_mutex_;
  Status error_;
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
