#include "troupe/graph/place/step_costs.hpp"

#include <algorithm>

#include "troupe/graph/draw/device_starts.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

using Time = StepCosts::Time;

constexpr double node_seconds = 2e-6, flops_per_second = 5e9, bytes_per_second = 5e9;
constexpr CostGraph::Link between_tasks{
    .latency = std::chrono::microseconds(100), .bytes_per_second = 1e9};
constexpr CostGraph::Link within_task{
    .latency = std::chrono::microseconds(10), .bytes_per_second = 5e9};
constexpr uint64_t small_bytes = 4096, large_bytes = 65'536;

/// The elements of a shape; unknown sizes count as 1.
double elements_of(const Shape& shape) {
  double elements = 1;
  if (shape.has_rank())
    for (auto size : shape.sizes()) elements *= static_cast<double>(std::max<int64_t>(size, 1));
  return elements;
}

/// The last size of a shape but `from_end`.
double size_of_axis(const Shape& shape, int from_end) {
  auto axis = shape.rank() - 1 - from_end;
  return axis < 0 ? 1 : static_cast<double>(std::max<int64_t>(shape[axis], 1));
}

bool is_true(const Node& node, const char* attr) {
  auto found = node.attrs.find(attr);
  auto* value = found == node.attrs.end() ? nullptr : found->second.get<bool>();
  return value && *value;
}

bool is_of_transfers(const NodeRun& run) {
  return run.op.starts_with('_') && run.op != transfer::read;
}

std::string task_of_device(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->job && name->task ? task_name(*name->job, *name->task) : device;
}

std::string type_of_device(const std::string& device) {
  auto name = DeviceName::parse(device);
  return name && name->type ? *name->type : "CPU";
}

Time to_time(double seconds) { return Time(static_cast<int64_t>(seconds * 1e9)); }

}  // namespace

double flops_of(const Graph& graph, const Node& node) {
  const auto& op = node.op->name();
  auto shape = [&](size_t input) { return graph.shape_of(node.inputs[input]); };
  auto out = node.output_shapes.empty() ? Shape() : node.output_shapes[0];
  auto two_inputs = node.inputs.size() >= 2;
  if (two_inputs && op == "MatMul")
    return 2 * elements_of(out) * size_of_axis(shape(0), is_true(node, "transpose_a") ? 1 : 0);
  if (two_inputs && op.starts_with("BatchMatMul"))
    return 2 * elements_of(out) * size_of_axis(shape(0), is_true(node, "adj_x") ? 1 : 0);
  if (two_inputs && op == "Conv2D")
    return 2 * elements_of(out) * elements_of(shape(1)) / size_of_axis(shape(1), 0);
  if (node.inputs.size() == 3 && op == "Conv2DBackpropInput")
    return 2 * elements_of(shape(2)) * elements_of(shape(1)) / size_of_axis(shape(1), 0);
  if (node.inputs.size() == 3 && op == "Conv2DBackpropFilter")
    return 2 * elements_of(shape(2)) * elements_of(out) / size_of_axis(out, 0);
  double elements = 0;  // an operation for each element that goes in or comes out
  for (size_t i = 0; i < node.inputs.size(); ++i)
    elements = std::max(elements, elements_of(shape(i)));
  for (const auto& output : node.output_shapes) elements = std::max(elements, elements_of(output));
  return elements;
}

void StepCosts::learn(const RunMetadata& metadata) {
  for (const auto& device : metadata.devices) learn_nodes(device);
  learn_links(metadata);
}

void StepCosts::learn_nodes(const DeviceRun& device) {
  struct Sum {
    Time time{0};
    uint64_t bytes = 0;
  };
  std::unordered_map<std::string, Sum> sums;  // of this step
  const auto& runs = device.nodes;
  for (size_t i = 0; i < runs.size();) {
    // The parts of a fused node have the same times.
    auto end = i + 1;
    while (end < runs.size() && runs[end].begin == runs[i].begin && runs[end].end == runs[i].end &&
           runs[end].thread == runs[i].thread && runs[end].end > runs[end].begin)
      ++end;
    auto time = (runs[i].end - runs[i].begin) / static_cast<int64_t>(end - i);
    for (; i < end; ++i) {
      if (is_of_transfers(runs[i])) continue;
      auto& sum = sums[runs[i].node];
      sum.time += std::max(time, Time(0));
      sum.bytes = std::max(sum.bytes, runs[i].bytes);
    }
  }
  auto& peak = memory_peaks_[device.device];
  peak = std::max(peak, device.memory_peak);
  auto& nodes = nodes_[type_of_device(device.device)];
  for (const auto& [node, sum] : sums) {
    if (nodes.size() >= nodes_max && !nodes.contains(node)) continue;
    auto& known = nodes[node];
    auto steps = static_cast<int64_t>(++known.steps);
    known.time += (sum.time - known.time) / steps;
    known.bytes = std::max(known.bytes, sum.bytes);
  }
}

void StepCosts::learn_links(const RunMetadata& metadata) {
  auto transfers = tensor_transfers_of(metadata);
  auto starts = device_starts(metadata, transfers);
  if (starts.size() != metadata.devices.size()) return;  // the clocks contradict each other
  for (const auto& [from, to, send, recv] : transfers) {
    auto key = std::pair(
        task_of_device(metadata.devices[from].device), task_of_device(metadata.devices[to].device));
    if (key.first == key.second) continue;
    // What came before the step began at its receiver waited for that, and not for the link.
    auto sent = std::max(starts[from].at + send->begin, starts[to].at + recv->begin);
    auto time = std::max(starts[to].at + recv->end - sent, Time(1));
    auto& link = links_[key];
    if (send->bytes <= small_bytes) {
      link.small_time += time;
      ++link.small_count;
    } else if (send->bytes >= large_bytes) {
      link.large_time += time;
      link.large_bytes += send->bytes;
      ++link.large_count;
    }
  }
}

const StepCosts::Measured* StepCosts::measured(
    const std::string& node, const std::string& device_type) const {
  auto of_type = nodes_.find(device_type);
  if (of_type == nodes_.end()) return nullptr;
  auto found = of_type->second.find(node);
  return found == of_type->second.end() ? nullptr : &found->second;
}

uint64_t StepCosts::memory_peak(const std::string& device) const {
  auto found = memory_peaks_.find(device);
  return found == memory_peaks_.end() ? 0 : found->second;
}

Time StepCosts::time_of(
    const Graph& graph, const Node& node, const std::string& device_type) const {
  if (const auto* known = measured(node.name, device_type)) return known->time;
  for (const auto& [type, nodes] : nodes_)
    if (auto found = nodes.find(node.name); found != nodes.end()) return found->second.time;
  uint64_t bytes = 0;
  for (auto input : node.inputs) bytes += bytes_of(graph, input);
  for (int i = 0; i < static_cast<int>(node.output_dtypes.size()); ++i)
    bytes += bytes_of(graph, {node.id, i});
  return to_time(
      node_seconds +
      std::max(
          flops_of(graph, node) / flops_per_second, static_cast<double>(bytes) / bytes_per_second));
}

uint64_t StepCosts::bytes_of(const Graph& graph, Output output) const {
  const auto& node = graph.node(output.node);
  const auto& shape = graph.shape_of(output);
  if (!shape.is_known() && node.output_dtypes.size() == 1)
    for (const auto& [type, nodes] : nodes_)
      if (auto found = nodes.find(node.name); found != nodes.end()) return found->second.bytes;
  auto bytes = elements_of(shape) *
               static_cast<double>(std::max<size_t>(size_of(graph.dtype_of(output)), 1));
  return static_cast<uint64_t>(std::min(bytes, 1e18));
}

bool StepCosts::is_measured(const DeviceName& from, const DeviceName& to) const {
  auto found = links_.find({task_of_device(from.to_string()), task_of_device(to.to_string())});
  return found != links_.end() && found->second.small_count + found->second.large_count > 0;
}

CostGraph::Link StepCosts::link(const DeviceName& from, const DeviceName& to) const {
  if (from.job == to.job && from.task == to.task) return within_task;
  auto found = links_.find({task_of_device(from.to_string()), task_of_device(to.to_string())});
  auto link = between_tasks;
  if (found == links_.end()) return link;
  const auto& seen = found->second;
  if (seen.small_count > 0) link.latency = seen.small_time / seen.small_count;
  if (seen.large_count > 0) {
    auto moving = std::max(seen.large_time - link.latency * seen.large_count, Time(1000));
    link.bytes_per_second =
        static_cast<double>(seen.large_bytes) * 1e9 / static_cast<double>(moving.count());
  }
  return link;
}

}  // namespace troupe
