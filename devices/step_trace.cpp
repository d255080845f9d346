#include "troupe/devices/step_trace.hpp"

#include <algorithm>
#include <string>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

/// Of one step on one device: a loop may run its nodes any number of times, and the client that
/// asked for the trace gets all of it at once. What is more is counted in the entry after these.
constexpr size_t traced_max = 1'000'000;
constexpr NodeId not_traced = -1;

NodeRun to_run(const Graph& graph, const Node& node) {
  NodeRun run{.node = node.name, .op = node.op->name(), .tensor = {}, .peer = {}};
  if (run.op == transfer::recv) {
    run.tensor = node.attr<std::string>("tensor_name");
    run.peer = node.attr<std::string>("from_device");
  } else if (run.op == transfer::send) {
    run.tensor = graph.name_of(node.inputs[0]);
    run.peer = node.attr<std::string>("to_device");
  } else if (run.op == transfer::retval) {
    run.tensor = graph.name_of(node.inputs[0]);
    run.peer = transfer::client;
  }
  return run;
}

/// The entry that stands for those that are not traced one by one.
NodeRun not_traced_run(uint64_t count) {
  return {
      .node = "_not_traced",
      .op = "_NotTraced",
      .tensor = std::to_string(count) + " more nodes",
      .peer = {}};
}

/// Nodes that were fused ran as one: all from its begin to its end, and the last gave its output.
std::vector<NodeRun> to_runs(const Graph& graph, const Node& node) {
  if (!fusion::is_fused(node.op->name())) return {to_run(graph, node)};
  std::vector<NodeRun> runs;
  for (const auto& part : fusion::parts_of(node.attrs))
    runs.push_back({.node = part.name, .op = part.op, .tensor = {}, .peer = {}});
  return runs;
}

}  // namespace

void StepTrace::add(const Plan& plan, NodeId node, Time ready, Time begin, uint64_t bytes) {
  auto end = elapsed();
  auto memory = plan.device().allocator().use().bytes_in_use;
  std::lock_guard lock(mutex_);
  memory_peak_ = std::max(memory_peak_, memory);
  auto thread = threads_.emplace(std::this_thread::get_id(), threads_.size()).first->second;
  if (noted_.size() < traced_max) return noted_.push_back({node, ready, begin, end, thread, bytes});
  if (noted_.size() == traced_max) noted_.push_back({not_traced, ready, begin, end, thread, 0});
  ++noted_.back().bytes;
  noted_.back().end = end;
}

DeviceRun StepTrace::take(const Plan& plan) {
  std::lock_guard lock(mutex_);
  DeviceRun run{
      .device = {},
      .duration = elapsed(),
      .clock = {},
      .started = start_,
      .memory_peak = memory_peak_,
      .nodes = {},
      .graph = {}};
  for (const auto& noted : noted_) {
    auto is_traced = noted.node != not_traced;
    auto nodes = is_traced ? to_runs(plan.graph(), plan.graph().node(noted.node))
                           : std::vector{not_traced_run(noted.bytes)};
    for (auto& node : nodes) {
      node.ready = noted.ready;
      node.begin = noted.begin;
      node.end = noted.end;
      node.thread = noted.thread;
      run.nodes.push_back(std::move(node));
    }
    if (is_traced) run.nodes.back().bytes = noted.bytes;
  }
  return run;
}

uint64_t bytes_of(std::span<const Tensor> tensors) {
  uint64_t bytes = 0;
  for (const auto& tensor : tensors)
    if (tensor.is_set()) bytes += tensor.bytes();
  return bytes;
}

}  // namespace troupe
