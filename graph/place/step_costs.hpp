#pragma once

#include <chrono>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/place/cost_graph.hpp"
#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// What nodes and links cost: as traced steps have measured, else by a model of flops and bytes.
///
/// The model: a node takes 2 us, and the longer of the time for its arithmetic, at 5 GFLOP/s, and
/// for its inputs and outputs, at 5 GB/s. Unknown sizes count as 1, as in TensorFlow's cost model.
/// Between tasks a tensor takes 100 us, and its bytes at 1 GB/s; between devices of a task 10 us,
/// at 5 GB/s.
class StepCosts {
 public:
  using Time = std::chrono::nanoseconds;

  /// More nodes than these are not remembered.
  static constexpr size_t nodes_max = 200'000;

  /// Of a node on one type of device, the means of the steps that were traced.
  struct Measured {
    Time time{0};        // in one step: a node of a loop runs often
    uint64_t bytes = 0;  // of its outputs, in one launch
    uint64_t steps = 0;
  };

  /// Learns from a step that ran with Trace::full. Nodes that devices have fused share their time.
  void learn(const RunMetadata& metadata);

  /// Null where no traced step had the node on a device of that type.
  const Measured* measured(const std::string& node, const std::string& device_type) const;
  /// Bytes in use on a device, at most, while a traced step ran there; 0: not measured.
  uint64_t memory_peak(const std::string& device) const;
  /// As measured there, else on another type of device, else by the model.
  Time time_of(const Graph& graph, const Node& node, const std::string& device_type) const;
  /// Of the value, as far as its shape is known; else as measured, for a node with one output.
  uint64_t bytes_of(const Graph& graph, Output output) const;
  CostGraph::Link link(const DeviceName& from, const DeviceName& to) const;
  /// Whether the link between the tasks of those devices was measured.
  bool is_measured(const DeviceName& from, const DeviceName& to) const;

 private:
  /// Transfers from one task to another.
  struct Transfers {
    Time small_time{0};  // of those that are too small for their bytes to matter
    int64_t small_count = 0;
    Time large_time{0};
    int64_t large_count = 0;
    uint64_t large_bytes = 0;
  };

  void learn_nodes(const DeviceRun& device);
  void learn_links(const RunMetadata& metadata);

  std::map<std::string, std::unordered_map<std::string, Measured>> nodes_;  // by type of device
  std::map<std::string, uint64_t> memory_peaks_;                            // by device
  std::map<std::pair<std::string, std::string>, Transfers> links_;          // by devices' tasks
};

/// Floating-point operations of a node, as far as shapes are known.
double flops_of(const Graph& graph, const Node& node);

}  // namespace troupe
