#include "troupe/devices/step_trace.hpp"

#include <algorithm>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

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

/// Nodes that were fused ran as one: all from its begin to its end, and the last gave its output.
std::vector<NodeRun> to_runs(const Graph& graph, const Node& node) {
  if (node.op->name() != fusion::op) return {to_run(graph, node)};
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
  noted_.push_back({node, ready, begin, end, thread, bytes});
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
    for (auto& node : to_runs(plan.graph(), plan.graph().node(noted.node))) {
      node.ready = noted.ready;
      node.begin = noted.begin;
      node.end = noted.end;
      node.thread = noted.thread;
      run.nodes.push_back(std::move(node));
    }
    run.nodes.back().bytes = noted.bytes;
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
