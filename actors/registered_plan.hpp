#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/device_actor.hpp"
#include "troupe/actors/gauges.hpp"
#include "troupe/devices/plan.hpp"
#include "troupe/devices/step_port.hpp"

namespace troupe {

/// A partition made ready to run on a device: its plan, and where the edges that leave it go.
struct RegisteredPlan {
  struct Destination {
    DeviceActor actor;
    std::string device;  // the name of that device
    std::string task;    // the task it belongs to
    std::string output;  // what is sent there, "MatMul:0"
    bool is_remote = false;

    /// Why the tensor cannot be sent there: in another process it must fit into one message.
    Status check_size(const Tensor& value) const;
  };

  std::shared_ptr<const Plan> plan;
  std::unordered_map<EdgeId, Destination> destinations;
  std::set<std::string> peers;                       // the tasks that it sends to or receives from
  std::vector<std::shared_ptr<Resource>> resources;  // that it uses
  size_t feed_count = 0;
  size_t fetch_count = 0;
  Counted counted;

  bool sends_to(const std::string& task) const {
    return std::ranges::any_of(
        destinations, [&task](const auto& entry) { return entry.second.task == task; });
  }
  /// What the node at the end of an edge into this partition waits for.
  Wait wait_at(EdgeId edge) const;
  /// Fails unless the feeds are as many as the plan has, and all there.
  Status check_feeds(const Tensors& feeds) const;
};

/// Device actors by device name.
using DeviceActors = std::map<std::string, DeviceActor>;

/// Compiles a partition that some peer sent. Its feeds and fetches must be numbered from 0 without
/// gaps, its edges differ, and all devices it sends to be among `peers`; else the error says which
/// node is wrong. `here` is the process of the device.
Result<std::shared_ptr<RegisteredPlan>> make_registered_plan(
    const std::shared_ptr<const Graph>& graph, Device& device, const Plan::Bindings& bindings,
    const DeviceActors& peers, const caf::node_id& here);

}  // namespace troupe
