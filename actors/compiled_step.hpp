#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/device_actor.hpp"
#include "troupe/graph/passes/partition.hpp"
#include "troupe/graph/place/placement.hpp"

namespace troupe {

/// A step's signature made ready to run: what each device does of it.
struct CompiledStep {
  struct Part {
    DeviceActor actor;
    std::string device;
    std::string task;
    std::vector<int> feeds;    // which of the step's feeds it gets, in its order
    std::vector<int> fetches;  // which of the step's fetches it gives, in its order
    bool is_remote = false;    // not on the master
  };

  /// A call that waits until the step can run, or cannot be compiled.
  struct Waiting {
    CallId call;
    std::function<void(const std::shared_ptr<CompiledStep>&, const Status&)> ready;
  };

  StepSignature signature;
  PlanId plan = 0;
  PrunedStep pruned;
  std::vector<Part> parts;
  std::set<std::string> containers;  // that it uses
  bool ready = false;
  bool is_dropped = false;        // its devices have no plans of it any more
  std::set<std::string> awaited;  // the tasks, then the devices, whose answers it needs for that
  std::vector<Waiting> waiting;   // those who came before it was ready
  World::Time began{0};           // when the first of them came
  uint64_t last_used = 0;
  size_t running = 0;
  size_t callables = 0;  // that hold it

  bool uses_device(const std::string& device) const {
    return std::ranges::count(parts, device, &Part::device) > 0;
  }
  bool uses_task(const std::string& task) const {
    return std::ranges::count(parts, task, &Part::task) > 0;
  }
};

/// Fails, naming the feed, unless the value is what the graph says of the output it replaces.
Status check_feed(const Graph& graph, const CompiledStep& step, int feed, const Tensor& value);
/// Fails, naming the first feed that is too much, unless those that go to one other task fit into a
/// message. A feed without a value does not go.
Status check_sizes(const CompiledStep& step, const Tensors& feeds);
/// Both, for all feeds of a step.
Status check_feeds(const Graph& graph, const CompiledStep& step, const Tensors& feeds);

/// Cuts a pruned step over the devices of those tasks. The parts' nodes are returned apart, in the
/// parts' order, as only registration needs them. `master` is its default device.
Result<std::vector<std::vector<NodeDef>>> lay_out(
    const Graph& graph, const std::vector<TaskDescription>& tasks, const Placement& placement,
    const DeviceName& master, CompiledStep& step);

}  // namespace troupe
