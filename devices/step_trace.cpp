#include "troupe/devices/step_trace.hpp"

#include <algorithm>

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

}  // namespace

void StepTrace::add(const Plan& plan, NodeId node, Time begin, uint64_t bytes) {
  auto end = elapsed();
  auto memory = plan.device().allocator().use().bytes_in_use;
  std::lock_guard lock(mutex_);
  memory_peak_ = std::max(memory_peak_, memory);
  auto thread = threads_.emplace(std::this_thread::get_id(), threads_.size()).first->second;
  noted_.push_back({node, begin, end, thread, bytes});
}

DeviceRun StepTrace::take(const Plan& plan) {
  std::lock_guard lock(mutex_);
  DeviceRun run{
      .device = {}, .duration = elapsed(), .memory_peak = memory_peak_, .nodes = {}, .graph = {}};
  for (const auto& noted : noted_) {
    run.nodes.push_back(to_run(plan.graph(), plan.graph().node(noted.node)));
    auto& node = run.nodes.back();
    node.begin = noted.begin;
    node.end = noted.end;
    node.thread = noted.thread;
    node.bytes = noted.bytes;
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
