#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/graph/device_name.hpp"
#include "troupe/graph/passes/prune.hpp"

namespace troupe {

/// The part of a step that one device runs, complete by itself: what comes from elsewhere enters by
/// _Arg (a feed) or _Recv, what goes elsewhere leaves by _Retval (a fetch) or _Send.
struct Partition {
  std::string device;
  std::vector<NodeDef> nodes;  // in an order in which inputs come first
  std::vector<int> feeds;      // _Arg number i takes the step's feed feeds[i]
  std::vector<int> fetches;    // _Retval number i gives the step's fetch fetches[i]; of a partial
                               // step, those that leave by a _Send to the client
};

/// Cuts a placed step into partitions. An output that several nodes of another device use crosses
/// once. A feed goes straight to the devices that use it; a constant without a wish for a device is
/// copied to its users. Fetches of feeds are left to the caller, who has their values. In a partial
/// step, a _Recv from the client is in place of each _Arg, and a _Send to it of each _Retval.
std::vector<Partition> partition(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices);

}  // namespace troupe
