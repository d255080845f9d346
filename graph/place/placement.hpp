#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/graph.hpp"
#include "troupe/graph/resource.hpp"

namespace troupe {

/// A device that nodes can be placed on, and the ops that it has kernels for.
struct Candidate {
  DeviceName name;
  std::shared_ptr<const std::set<std::string, std::less<>>> ops;
};

/// The cluster as a session sees it.
struct PlacementView {
  ClusterSpec cluster;
  DeviceName master;                // its default device, by its full name
  std::vector<DeviceName> filters;  // only devices that satisfy one of them, or are the master's
};

/// Finds a device for each node of a step, in stages, as the answers come in: what the nodes wish
/// for, where the things live that they use, which devices there are.
///
/// A node's wish is completed from the master's default device; a wish for a job alone means its
/// first task. Whatever uses a resource goes where its handle is, and what `_class` = "loc:@other"
/// names goes where the other is. An error says which node asked for what, who forced it, and what
/// there is: InvalidArgument, or FailedPrecondition where a thing lives elsewhere.
class Placement {
 public:
  using Tasks = std::set<std::pair<std::string, int>>;
  using Homes = std::map<ResourceName, DeviceName>;

  /// Gathers the wishes. `graph` must outlive the placement, which sees only those of its nodes.
  static Result<Placement> begin(
      const Graph& graph, const std::vector<NodeId>& nodes,
      std::shared_ptr<const PlacementView> view);

  Placement(Placement&&) noexcept;
  Placement& operator=(Placement&&) noexcept;
  ~Placement();

  /// The things that no node pins to a task, and where each is to live if it lives nowhere yet.
  Homes unpinned() const;
  /// Says where they live.
  Status settle(const Homes& homes);
  /// The tasks whose devices are asked for, the master's among them.
  Result<Tasks> tasks() const;
  /// A device for each node. The candidates are those of the tasks.
  Result<std::map<NodeId, DeviceName>> devices(const std::vector<Candidate>& candidates) const;

 private:
  class Groups;
  explicit Placement(std::unique_ptr<Groups> groups);

  std::unique_ptr<Groups> groups_;
};

}  // namespace troupe
