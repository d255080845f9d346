#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/device/device_actor.hpp"
#include "troupe/actors/device/step_rendezvous.hpp"
#include "troupe/actors/metrics.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/devices/step_port.hpp"

namespace troupe {

/// A compiled partition of a device: its plan, and the destinations of its outgoing edges.
struct DevicePlan {
  struct Destination {
    DeviceActor actor;
    std::string task;  // the task it belongs to
    bool has_own_memory = false;
  };

  std::shared_ptr<const Plan> plan;
  std::unordered_map<EdgeId, Destination> destinations;
  std::vector<DeviceActor> receivers;                // of the outgoing edges, each once
  std::set<std::string> peers;                       // the tasks that it sends to or receives from
  std::vector<std::shared_ptr<Resource>> resources;  // that it uses
  StepOrigin origin;
  size_t feed_count = 0;
  size_t fetch_count = 0;
  Counted counted;
  Plan::Bindings handles;  // the resources, by the nodes of their handles

  bool sends_to(const std::string& task) const {
    return std::ranges::any_of(
        destinations, [&task](const auto& entry) { return entry.second.task == task; });
  }
  /// Whether a value on an outgoing edge may be sent as it lies in the device's memory.
  bool lends(const EdgeKey& key, const Tensor& value) const;
  /// Whether a resource that it uses is gone, as its container was reset.
  bool is_stale() const {
    return std::ranges::any_of(
        resources, [](const auto& resource) { return resource->is_dropped(); });
  }
  /// Describes what a node waits for: the receiver of an incoming edge, or one that uses a
  /// resource, with what that is like at this moment.
  Wait describe(const WaitingNode& waiting) const;
  /// Checks that the feeds are as many as those of the plan, and all set.
  Status check_feeds(const Tensors& feeds) const;
};

/// Device actors by device name.
using DeviceActors = std::map<std::string, DeviceActor>;

/// Compiles a partition, which is validated, as a peer sent it: its feeds and fetches must be
/// numbered from 0 without gaps, its edges must differ, and all devices that it sends to must be in
/// `peers`. An error names the node. `kernels` are those of the session on this device.
Result<std::shared_ptr<DevicePlan>> make_device_plan(
    const std::shared_ptr<const Graph>& graph, Device& device, const Plan::Bindings& bindings,
    const DeviceActors& peers, SessionKernels& kernels);

}  // namespace troupe
