#include "troupe/devices/executor.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "troupe/devices/launches.hpp"
#include "troupe/devices/pieces/traced_piece.hpp"
#include "troupe/devices/send_scope.hpp"
#include "troupe/devices/step_frames.hpp"
#include "troupe/devices/step_resources.hpp"
#include "troupe/graph/support/flush_denormals.hpp"

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
  Iteration* at;
  StepTrace::Time ready{0};  // since when, where the step is traced
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
        frames_(*plan_),
        resources_([this](int32_t from, int32_t to) { return plan_->leads_to(from, to); }) {}

  void start() {
    Ready ready;
    const auto& sources = plan_->sources();
    for (auto source = sources.rbegin(); source != sources.rend(); ++source)
      ready.push_back({*source, false, &frames_.root()});
    run(ready, On::caller);
  }

  void cancel(Status why) override { fail(std::move(why)); }

  std::vector<WaitingNode> waits() const override { return waiting_.describe(); }

 private:
  using Waiting = WaitingLaunches::Waiting;

  // -- running nodes

  /// Runs the ready nodes and what becomes ready by them. The caller holds one unit of pending_.
  void run(Ready& ready, On thread) {
    auto budget_ns = caller_budget_ns;
    FlushDenormals flush;
    SendScope sends;
    while (!ready.empty() && !failed_.load(std::memory_order_relaxed)) {
      auto node = ready.back();
      const auto& item = item_of(node);
      if (has_dead_.load(std::memory_order_relaxed) && is_left_out(node, item)) {
        ready.pop_back();
        pass_on_dead(node, ready);
        continue;
      }
      if (item.waits) {
        ready.pop_back();
        start_waiting(node, ready);
        continue;
      }
      LaunchOutputs outputs(item.output_count);
      Launch launch(plan_->device(), launch_step(node), inputs_of(node), outputs.span());
      auto cost = cost_of(item, launch);
      if (thread == On::caller && (budget_ns -= cost) < 0) return hand_over(ready);
      ready.pop_back();
      if (cost > task_worth_ns && !ready.empty()) {
        run_as_task({node});
        continue;
      }
      sends.note_work(cost);
      finish(node, compute(node, launch, outputs.span()), outputs.span(), ready);
    }
    sends.flush();
    release();
  }

  /// Whether the node does not run as its inputs are dead. A kernel that takes dead inputs finds
  /// them unset.
  bool is_left_out(const ReadyNode& node, const Plan::NodeItem& item) {
    auto inputs = inputs_of(node);
    auto is_dead = node.is_dead || (!item.merges && !std::ranges::all_of(inputs, &Tensor::is_set));
    if (!is_dead) return false;
    if (!item.kernel->takes_dead) return true;
    for (auto& input : inputs) input = Tensor();
    return false;
  }

  const Plan::NodeItem& item_of(const ReadyNode& node) const {
    return plan_->items()[static_cast<size_t>(node.index)];
  }

  LaunchStep launch_step(const ReadyNode& node) {
    return {.port = port_.get(), .resources = &resources_, .at = node.at->at(), .item = node.index};
  }

  std::span<Tensor> inputs_of(const ReadyNode& node) const {
    return node.at->inputs_of(item_of(node));
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
    FlushDenormals flush;
    auto node = ready.back();
    ready.pop_back();
    const auto& item = item_of(node);
    LaunchOutputs outputs(item.output_count);
    Launch launch(plan_->device(), launch_step(node), inputs_of(node), outputs.span());
    finish(node, compute(node, launch, outputs.span()), outputs.span(), ready);
    run(ready, On::device);
  }

  Status compute(const ReadyNode& node, Launch& launch, std::span<const Tensor> outputs) {
    if (!trace_) return compute(node, launch);
    if (const auto* piece = plan_->piece_of(node.index))
      return run_traced(*piece, launch, *plan_, node.ready, *trace_);
    const auto& item = item_of(node);
    auto begin = trace_->elapsed();
    auto bytes = item.output_count == 0 ? bytes_of(inputs_of(node)) : 0;
    auto status = compute(node, launch);
    trace_->add(*plan_, item.node, node.ready, begin, bytes + bytes_of(outputs));
    return status;
  }

  Status compute(const ReadyNode& node, Launch& launch) {
    const auto& compute = plan_->computes()[static_cast<size_t>(node.index)];
    return without_exceptions([&] { return compute(launch); });
  }

  // -- kernels that wait

  void start_waiting(const ReadyNode& node, Ready& ready) {
    const auto& item = item_of(node);
    if (item.kernel->try_now && try_now(node, ready)) return;
    auto waiting = std::make_shared<Waiting>(
        waiting_, item, plan_->device(), launch_step(node), inputs_of(node));
    pending_.fetch_add(1, std::memory_order_relaxed);
    waiting_.add(*waiting);
    if (trace_) note_begin(*waiting, node);
    item.kernel->start(waiting->launch, [self = shared_from_this(), waiting, node](Status status) {
      self->wait_ended(waiting, node, std::move(status));
    });
    if (!waiting->returned_or_done.exchange(true, std::memory_order_acq_rel)) return;
    pending_.fetch_sub(1, std::memory_order_relaxed);  // it was done at once: this thread goes on
    finish(node, waiting->status, waiting->outputs.span(), ready);
  }

  bool try_now(const ReadyNode& node, Ready& ready) {
    const auto& item = item_of(node);
    LaunchOutputs outputs(item.output_count);
    Launch launch(plan_->device(), launch_step(node), inputs_of(node), outputs.span());
    auto begin = trace_ ? trace_->elapsed() : StepTrace::Time(0);
    auto status = item.kernel->try_now(launch);
    if (!status) return false;
    if (trace_) trace_->add(*plan_, item.node, node.ready, begin, bytes_of(outputs.span()));
    finish(node, *status, outputs.span(), ready);
    return true;
  }

  /// On whatever thread woke the kernel; what follows is posted (EX-2).
  void wait_ended(const std::shared_ptr<Waiting>& waiting, const ReadyNode& node, Status status) {
    waiting_.remove(*waiting);
    waiting->status = std::move(status);
    if (trace_) note_end(*waiting);
    if (!waiting->returned_or_done.exchange(true, std::memory_order_acq_rel)) return;
    port_->post([self = shared_from_this(), waiting, node] {
      Ready ready;
      self->finish(node, waiting->status, waiting->outputs.span(), ready);
      self->run(ready, On::caller);
    });
  }

  void note_begin(Waiting& waiting, const ReadyNode& node) {
    waiting.ready = node.ready;
    waiting.began = trace_->elapsed();
    if (waiting.item.output_count == 0) waiting.bytes = bytes_of(inputs_of(node));
  }
  void note_end(Waiting& waiting) {
    waiting.bytes += bytes_of(waiting.outputs.span());
    trace_->add(*plan_, waiting.item.node, waiting.ready, waiting.began, waiting.bytes);
  }

  // -- passing values on

  /// Passes the outputs of a node on to those that wait for them.
  void finish(
      const ReadyNode& node, const Status& status, std::span<Tensor> outputs, Ready& ready) {
    const auto& item = item_of(node);
    for (auto& input : inputs_of(node)) input = Tensor();
    if (!status.ok()) return fail(status.at(plan_->where(item)));
    if (item.loop_role == LoopRole::none) pass_all(item, *node.at, outputs, ready);
    else change_iteration(item, *node.at, std::move(outputs[0]), ready);
    end_node(*node.at, ready);
  }

  void pass_on_dead(const ReadyNode& node, Ready& ready) {
    const auto& item = item_of(node);
    for (auto& input : inputs_of(node)) input = Tensor();
    if (item.loop_role == LoopRole::none) pass_dead(item, *node.at, ready);
    else change_iteration(item, *node.at, Tensor(), ready);
    end_node(*node.at, ready);
  }

  void pass_all(
      const Plan::NodeItem& item, Iteration& to, std::span<Tensor> outputs, Ready& ready) {
    auto alone = is_alone();
    for (const auto& edge : edges_of(item)) {
      if (edge.slot < 0) {
        arrive(edge, to, is_dead(outputs), alone, ready);
      } else {
        auto& output = outputs[edge.output];
        pass(edge, to, edge.last ? std::move(output) : output, alone, ready);
      }
    }
  }

  void pass_dead(const Plan::NodeItem& item, Iteration& to, Ready& ready) {
    auto alone = is_alone();
    for (const auto& edge : edges_of(item)) arrive(edge, to, /*is_dead=*/true, alone, ready);
  }

  /// A _Recv of a dead value is dead as a whole; a Switch sets one of its outputs.
  static bool is_dead(std::span<const Tensor> outputs) {
    return !outputs.empty() && std::ranges::none_of(outputs, &Tensor::is_set);
  }

  /// Whether this thread, which has one unit of pending_, has the only one: then no other thread
  /// works on the step before this one starts it.
  bool is_alone() const { return pending_.load(std::memory_order_acquire) == 1; }

  void pass(const Plan::Edge& edge, Iteration& to, Tensor value, bool alone, Ready& ready) {
    auto is_dead = !value.is_set();
    if (!edge.merges || (!is_dead && to.counts().claim(edge.node, alone)))
      to.slot(edge.slot) = std::move(value);
    else if (!is_dead) return;  // another input was there before
    arrive(edge, to, is_dead, alone, ready);
  }

  void arrive(const Plan::Edge& edge, Iteration& to, bool is_dead, bool alone, Ready& ready) {
    if (is_dead) has_dead_.store(true, std::memory_order_relaxed);  // published by the count
    auto state = to.counts().arrive(*plan_, edge, is_dead, alone);
    if (state == PendingCounts::State::waits) return;
    to.hold(alone);
    auto now = trace_ ? trace_->elapsed() : StepTrace::Time(0);
    ready.push_back({edge.node, state == PendingCounts::State::dead, &to, now});
  }

  // -- loops

  /// Passes on the value of a node whose consumers are in another iteration than it is itself.
  void change_iteration(const Plan::NodeItem& item, Iteration& from, Tensor value, Ready& ready) {
    switch (item.loop_role) {
      case LoopRole::none: return;
      case LoopRole::enter: {
        auto& first = frames_.enter(from, item);
        pass_all(item, first, {&value, 1}, ready);
        return end_node(first, ready);
      }
      case LoopRole::constant_enter: {
        auto running = frames_.enter_all(from, {&item, value});
        for (auto* iteration : running) pass_copy({&item, value}, *iteration, ready);
        return end_node(*running.front(), ready);
      }
      case LoopRole::exit:
        if (value.is_set()) pass_all(item, from.frame()->around(), {&value, 1}, ready);
        else frames_.note_dead_exit(from, item, is_alone());
        return;
      case LoopRole::next_iteration: {
        if (!value.is_set()) return;  // the loop ends
        std::vector<PassedValue> first;
        auto* next = frames_.next(from, {&item, value}, first, is_alone());
        if (!next) return;
        for (auto& passed : first) pass_copy(std::move(passed), *next, ready);
        return pass_all(item, *next, {&value, 1}, ready);
      }
    }
  }

  void pass_copy(PassedValue passed, Iteration& to, Ready& ready) {
    pass_all(*passed.item, to, {&passed.value, 1}, ready);
  }

  /// A node of that iteration has ended: with the last one it ends itself, and with the last
  /// iteration the loop, which is a node of what is around it.
  void end_node(Iteration& iteration, Ready& ready) {
    for (auto* ended = &iteration; ended->frame();) {
      auto end = frames_.end_node(*ended, is_alone());
      if (end.begun) {
        for (auto& passed : end.passed) pass_copy(std::move(passed), *end.begun, ready);
        ended = end.begun;
      } else if (end.ended) {
        for (const auto* exit : end.ended->dead_exits())
          pass_dead(*exit, end.ended->around(), ready);
        ended = &frames_.end_frame(*end.ended);
      } else return;
    }
  }

  std::span<const Plan::Edge> edges_of(const Plan::NodeItem& item) const {
    return std::span(plan_->edges()).subspan(item.first_edge, item.edge_count);
  }

  // -- ends

  void fail(Status status) {
    auto hooks = waiting_.fail(status);
    if (!hooks) return;
    failed_.store(true, std::memory_order_relaxed);
    resources_.fail(status);
    port_->fail(cancelled("the step has failed: " + status.message()));
    for (auto& hook : *hooks) hook();  // EX-3
  }

  /// Gives back one unit of pending_; the last one ends the step, once the device's stream has done
  /// what was put there.
  void release() {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    frames_.clear();
    auto* stream = plan_->device().stream();
    if (!stream) return report({});
    stream->when_done([self = shared_from_this()](const Status& status) { self->report(status); });
  }

  void report(const Status& stream_status) {
    auto status = waiting_.error();
    if (status.ok()) status = stream_status;
    auto hooks = resources_.take_end_hooks();
    if (!status.ok()) hooks.call(status);
    else if (!hooks.empty()) port_->defer_end_hooks(std::move(hooks));
    std::exchange(done_, nullptr)(status);
  }

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<StepPort> port_;
  std::function<void(Status)> done_;
  const std::shared_ptr<StepTrace> trace_;  // null where nobody asked for it
  StepFrames frames_;
  StepResources resources_;
  std::atomic<int32_t> pending_{1};  // threads and waiting kernels that still work on the step
  std::atomic<bool> failed_{false};
  std::atomic<bool> has_dead_{false};  // most steps have no dead value, and need not look for any
  WaitingLaunches waiting_;
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
