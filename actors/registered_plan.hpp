#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

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
    std::string output;  // what is sent there, "MatMul:0"
    bool is_remote = false;

    /// Why the tensor cannot be sent there: in another process it must fit into one message.
    Status check_size(const Tensor& value) const;
    /// The error of steps that send there when it is out of reach.
    Status lost(const std::string& why) const;
  };

  std::shared_ptr<const Plan> plan;
  std::unordered_map<EdgeId, Destination> destinations;
  size_t feed_count = 0;
  size_t fetch_count = 0;
  Counted counted;

  /// An edge to that device; null if there is none.
  const Destination* destination_at(const caf::actor_addr& device) const;
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
