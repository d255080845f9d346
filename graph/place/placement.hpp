#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/place/choose_device.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The part of the cluster that a session may use.
struct PlacementView {
  ClusterSpec cluster;
  DeviceName master;                  // its default device, by its full name
  std::vector<DeviceName> filters;    // only devices that satisfy one of them, or are the master's
  bool is_soft = false;               // types and indices of devices are preferences
  std::vector<Candidate> local = {};  // the devices of the master's task
};

/// Nodes of a step that share a device, and where that may be.
struct PlacementGroup {
  /// What decides about the device.
  enum class Origin : uint8_t { nothing, constraint, resource, cost };

  std::vector<NodeId> nodes;
  Origin origin = Origin::nothing;
  DeviceName constraint;             // of all of them, merged
  NodeId source = -1;                // the node that it comes from
  bool is_pinned = false;            // to a task
  std::vector<DeviceName> possible;  // candidates that fit and have kernels for all of them
};

/// Assigns a device to each node of a step, in stages, as information arrives: the device
/// constraints of the nodes, the devices of the resources that they use, and the devices of the
/// tasks.
///
/// Open fields of a constraint are taken from the master's default device; a constraint that names
/// only a job means its first task. Ops that use a resource are colocated with its handle, as are
/// nodes with `_class` = "loc:@other" with that node. In a soft view, the type and the index of a
/// constraint give way where they conflict, or where no device has them and a kernel. An error
/// names the node, its constraint, the source of the constraint that it conflicts with, and the
/// devices that there are: InvalidArgument, or FailedPrecondition if a resource exists on another
/// device.
class Placement {
 public:
  using Tasks = std::set<std::pair<std::string, int>>;
  using ResourceDevices = std::map<ResourceName, DeviceName>;

  /// Collects the constraints of `nodes`. `graph` must outlive the placement.
  static Result<Placement> begin(
      const Graph& graph, const std::vector<NodeId>& nodes,
      std::shared_ptr<const PlacementView> view);

  Placement(Placement&&) noexcept;
  Placement& operator=(Placement&&) noexcept;
  ~Placement();

  /// The resources that no constraint pins to a task, each with the device for one that does not
  /// exist yet: the first of the master's task that has kernels for all that the graph does with
  /// it.
  ResourceDevices unpinned_resources() const;
  /// Constrains resources, and all nodes colocated with them, to those devices.
  Status assign(const ResourceDevices& devices);
  /// The tasks whose devices are candidates, including the master's.
  Result<Tasks> tasks() const;
  /// All tasks of the cluster that the session's device filters leave.
  Tasks visible_tasks() const;
  /// The nodes by the device that they share. Those that are not pinned could be on any candidate.
  std::vector<PlacementGroup> groups(const std::vector<Candidate>& candidates) const;
  /// Pins a node, and all that are colocated with it, to a device, because of the step's costs.
  void choose(NodeId node, const DeviceName& device);
  const PlacementView& view() const;
  /// A device for each node. The candidates are those of the tasks.
  Result<std::map<NodeId, DeviceName>> devices(const std::vector<Candidate>& candidates) const;

 private:
  class ColocationGroups;
  explicit Placement(std::unique_ptr<ColocationGroups> groups);

  std::unique_ptr<ColocationGroups> groups_;
};

}  // namespace troupe
