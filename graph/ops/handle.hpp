#pragma once

#include <optional>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The resource whose handle the node makes; nothing for other nodes.
std::optional<ResourceName> resource_of(const Node& node);

/// Attribute of a handle whose resource was placed by the directory service of the cluster, not by
/// a device constraint of the graph.
inline constexpr const char* unpinned_attr = "_unpinned";

}  // namespace troupe
