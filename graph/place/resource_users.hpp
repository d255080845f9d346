#pragma once

#include <map>
#include <set>
#include <string_view>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The ops of all nodes of a graph that work on each resource, by its handle, a reference to it, or
/// its name, or are to be on the device of such a node: those of other steps, too, so that a
/// resource is where all of them can run.
std::map<ResourceName, std::set<std::string_view>> ops_by_resource(const Graph& graph);

}  // namespace troupe
