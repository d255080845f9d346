#include "troupe/capnp/convert/convert_session.hpp"

#include <algorithm>
#include <limits>

#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/convert/to_vector.hpp"
#include "troupe/capnp/protocol.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

uint64_t to_count(milliseconds time) {
  return static_cast<uint64_t>(std::max(time, milliseconds(0)).count());
}

void fill(rpc::NodeRun::Builder to, const NodeRun& run) {
  to.setNode(run.node);
  to.setOp(run.op);
  to.setBeginNs(run.begin.count());
  to.setEndNs(run.end.count());
  to.setThread(run.thread);
  to.setBytes(run.bytes);
  to.setTensor(run.tensor);
  to.setPeer(run.peer);
  to.setReadyNs(run.ready.count());
}

NodeRun to_node_run(rpc::NodeRun::Reader from) {
  return {
      .node = text_of(from.getNode()),
      .op = text_of(from.getOp()),
      .ready = nanoseconds(from.getReadyNs()),
      .begin = nanoseconds(from.getBeginNs()),
      .end = nanoseconds(from.getEndNs()),
      .thread = from.getThread(),
      .bytes = from.getBytes(),
      .tensor = text_of(from.getTensor()),
      .peer = text_of(from.getPeer())};
}

void fill(rpc::DeviceRun::Builder to, const DeviceRun& run, ExternalSegmentBudget& segment_budget) {
  to.setDevice(run.device);
  to.setBeginNs(run.begin.count());
  to.setEndNs(run.end.count());
  to.setDurationNs(run.duration.count());
  to.setMemoryPeak(run.memory_peak);
  to.setClock(run.clock);
  to.setStartedNs(run.started.count());
  auto nodes = to.initNodes(static_cast<unsigned>(run.nodes.size()));
  for (unsigned i = 0; i < run.nodes.size(); ++i) fill(nodes[i], run.nodes[i]);
  auto graph = to.initGraph(static_cast<unsigned>(run.graph.size()));
  for (unsigned i = 0; i < run.graph.size(); ++i) fill(graph[i], run.graph[i], segment_budget);
}

Result<DeviceRun> to_device_run(rpc::DeviceRun::Reader from) {
  auto graph = to_node_defs(from.getGraph());
  if (!graph) return graph.status();
  DeviceRun run{
      .device = text_of(from.getDevice()),
      .begin = nanoseconds(from.getBeginNs()),
      .end = nanoseconds(from.getEndNs()),
      .duration = nanoseconds(from.getDurationNs()),
      .clock = text_of(from.getClock()),
      .started = nanoseconds(from.getStartedNs()),
      .memory_peak = from.getMemoryPeak(),
      .nodes = {},
      .graph = *std::move(graph)};
  for (auto node : from.getNodes()) run.nodes.push_back(to_node_run(node));
  return run;
}

}  // namespace

void fill(rpc::RunOptions::Builder to, const RunOptions& options) {
  to.setTimeoutMs(to_count(options.timeout));
  to.setTrace(options.trace == Trace::full);
  to.setPartitionGraphs(options.output_partition_graphs);
}

Result<RunOptions> to_run_options(rpc::RunOptions::Reader from) {
  auto timeout = to_timeout(from.getTimeoutMs());
  if (!timeout) return timeout.status();
  return RunOptions{
      .timeout = *timeout,
      .trace = from.getTrace() ? Trace::full : Trace::none,
      .output_partition_graphs = from.getPartitionGraphs()};
}

void fill(rpc::SessionOptions::Builder to, const SessionOptions& options) {
  to.setOperationTimeoutMs(to_count(options.operation_timeout));
  to.setLogDevicePlacement(options.log_device_placement);
  fill(
      to.initDeviceFilters(static_cast<unsigned>(options.device_filters.size())),
      options.device_filters);
  to.setIsolateState(options.isolate_state);
  to.setThreads(static_cast<uint32_t>(std::max(options.threads, 0)));
  to.setMemoryLimit(options.memory_limit);
  to.setFusesElementwise(options.fuses_elementwise);
  to.setSoftPlacement(options.soft_placement);
  to.setPlacement(options.placement);
  to.setOptimizes(options.optimizes);
  fill(
      to.initDisabledPasses(static_cast<unsigned>(options.disabled_passes.size())),
      options.disabled_passes);
  to.setMixesPrecision(options.mixes_precision);
}

Result<SessionOptions> to_session_options(rpc::SessionOptions::Reader from) {
  auto timeout = to_timeout(from.getOperationTimeoutMs());
  if (!timeout) return timeout.status();
  auto filters = checked([from] { return to_texts(from.getDeviceFilters()); });
  if (!filters) return filters.status();
  auto disabled = checked([from] { return to_texts(from.getDisabledPasses()); });
  if (!disabled) return disabled.status();
  constexpr uint32_t most = std::numeric_limits<int>::max();
  return SessionOptions{
      .operation_timeout = *timeout,
      .log_device_placement = from.getLogDevicePlacement(),
      .device_filters = *std::move(filters),
      .isolate_state = from.getIsolateState(),
      .fuses_elementwise = from.getFusesElementwise(),
      .optimizes = from.getOptimizes(),
      .disabled_passes = *std::move(disabled),
      .mixes_precision = from.getMixesPrecision(),
      .soft_placement = from.getSoftPlacement(),
      .placement = text_of(from.getPlacement()),
      .threads = static_cast<int>(std::min(from.getThreads(), most)),
      .memory_limit = from.getMemoryLimit()};
}

void fill(
    rpc::RunMetadata::Builder to, const RunMetadata& metadata,
    ExternalSegmentBudget& segment_budget) {
  auto devices = to.initDevices(static_cast<unsigned>(metadata.devices.size()));
  for (unsigned i = 0; i < metadata.devices.size(); ++i)
    fill(devices[i], metadata.devices[i], segment_budget);
  to.setClock(metadata.clock);
  to.setLaunchedNs(metadata.launched.count());
}

Result<RunMetadata> to_run_metadata(rpc::RunMetadata::Reader from) {
  return checked([from]() -> Result<RunMetadata> {
    RunMetadata metadata;
    for (auto device : from.getDevices()) {
      auto run = to_device_run(device);
      if (!run) return run.status();
      metadata.devices.push_back(*std::move(run));
    }
    metadata.clock = text_of(from.getClock());
    metadata.launched = nanoseconds(from.getLaunchedNs());
    return metadata;
  });
}

void fill(
    rpc::StepAnswer::Builder to, const Result<Tensors>& values, const RunMetadata& metadata,
    MessageMemory& memory) {
  auto status = values ? check_sendable(*values, memory.takes_sources()) : values.status();
  fill(to.initStatus(), status);
  auto segment_budget = segment_budget_for_values(memory);
  if (status.ok())
    fill(to.initValues(static_cast<unsigned>(values->size())), *values, segment_budget);
  segment_budget.bytes_left = protocol::message_bytes_max;
  if (!metadata.devices.empty()) fill(to.initMetadata(), metadata, segment_budget);
}

Result<Tensors> to_values(rpc::StepAnswer::Reader from, DeferredTensors& deferred) {
  auto failed = to_status(from.getStatus());
  if (!failed.ok()) return failed;
  return to_tensors(from.getValues(), &deferred);
}

}  // namespace troupe
