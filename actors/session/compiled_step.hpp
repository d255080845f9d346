#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/device/device_actor.hpp"
#include "troupe/graph/optimize/optimize.hpp"
#include "troupe/graph/passes/partition.hpp"
#include "troupe/graph/place/placement.hpp"

namespace troupe {

/// A compiled step: its signature, and its partitions on the devices.
struct CompiledStep {
  struct DevicePartition {
    DeviceActor actor;
    std::string device;
    std::string task;
    std::vector<int> feeds;    // the indices of the step's feeds that it gets, in order
    std::vector<int> fetches;  // the indices of the step's fetches that it gives, in order
  };

  /// A call that waits for the compilation.
  struct Waiting {
    CallId call;
    std::function<void(const std::shared_ptr<CompiledStep>&, const Status&)> ready;
  };

  StepSignature signature;
  PlanId plan = 0;
  PrunedStep pruned;
  std::vector<DevicePartition> partitions;
  std::set<std::string> containers;  // of the resources that it uses
  bool ready = false;
  bool is_transient = false;      // for the present runs only (Registered)
  bool is_dropped = false;        // its plans were dropped
  std::set<std::string> awaited;  // the tasks or devices that its compilation waits for
  std::vector<Waiting> waiting;   // calls that came before it was ready
  World::Time requested{0};       // when the first of them came
  uint64_t last_used = 0;
  size_t running = 0;
  size_t callables = 0;      // that use it
  int steps_to_measure = 0;  // how many steps of it the session still traces for its costs

  bool uses_device(const std::string& device) const {
    return std::ranges::count(partitions, device, &DevicePartition::device) > 0;
  }
  bool uses_task(const std::string& task) const {
    return std::ranges::count(partitions, task, &DevicePartition::task) > 0;
  }
};

/// Checks a feed against the dtype and shape of the output that it replaces. An error names the
/// feed.
Status check_feed(const Graph& graph, const CompiledStep& step, int feed, const Tensor& value);
/// Checks number and values of all feeds of a step.
Status check_feeds(const Graph& graph, const CompiledStep& step, const Tensors& feeds);

/// A partition and its nodes, which only the registration needs.
struct PlacedPartition {
  CompiledStep::DevicePartition partition;
  std::vector<NodeDef> nodes;
};

/// The devices of those tasks.
std::vector<Candidate> candidates_of(const std::vector<TaskDescription>& tasks);

/// Places the nodes of a pruned step on the devices of those tasks, optimizes it, and cuts it into
/// partitions. `on_placed` sees it before it is optimized, and may be empty.
Result<std::vector<PlacedPartition>> place_and_partition(
    const Graph& graph, const PrunedStep& pruned, const std::vector<TaskDescription>& tasks,
    const Placement& placement, const OptimizeOptions& optimization,
    const std::function<void(const std::map<NodeId, DeviceName>&)>& on_placed);

}  // namespace troupe
