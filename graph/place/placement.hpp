#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// A device that nodes can be placed on, and the ops that it has kernels for.
struct Candidate {
  DeviceName name;
  std::shared_ptr<const std::set<std::string, std::less<>>> ops;
};

/// The tasks whose devices placement has to know: those that the nodes wish for, and the master.
/// InvalidArgument names the node that wishes for a task that the cluster does not have.
Result<std::set<std::pair<std::string, int>>> tasks_of(
    const Graph& graph, const std::vector<NodeId>& nodes, const ClusterSpec& cluster,
    const DeviceName& master);

/// A device for each of the nodes, by id. A node's wish is completed from the master's default
/// device `master` (a full name); a wish for a job alone means its first task. Whatever uses a
/// resource goes where its handle is, and what `_class` = "loc:@other" names goes where the other
/// is. InvalidArgument says which node asked for what, who forced it, and what there is.
Result<std::map<NodeId, DeviceName>> place(
    const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<Candidate>& candidates,
    const ClusterSpec& cluster, const DeviceName& master);

}  // namespace troupe
