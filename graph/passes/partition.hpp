#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// The part of a step that one device runs, as a complete graph: values enter by _Arg (a feed) or
/// _Recv and leave by _Retval (a fetch) or _Send.
struct Partition {
  std::string device;
  std::vector<NodeDef> nodes;  // inputs before their users
  std::vector<int> feeds;      // _Arg number i takes the step's feed feeds[i]
  std::vector<int> fetches;    // _Retval number i gives the step's fetch fetches[i]; of a partial
                               // step, those that leave by a _Send to the client
};

/// Cuts a placed step into partitions. An output that several nodes of another device use is sent
/// once. Where a reference to a variable is used as a value, a _ReadReference on the variable's
/// device reads it when its user runs; a fetch of one reads after its node. A feed goes directly to
/// the devices that use it; a constant without a device constraint is copied to its users' devices.
/// Fetches that are also feeds are left out: the caller has their values. In a partial step, a
/// _Recv from the client replaces each _Arg, and a _Send to it each _Retval.
///
/// A loop may be on several devices. Each of them goes through all its iterations; a _Recv runs
/// once in each, whether the value is dead or not. InvalidArgument, naming the node or the loop,
/// where a loop is not well formed (find_frames.hpp).
Result<std::vector<Partition>> partition(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices);

}  // namespace troupe
