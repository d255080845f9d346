#pragma once

#include <optional>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/resource.hpp"

namespace troupe {

/// The thing in a container that the node makes the handle of; nothing for other nodes.
std::optional<ResourceName> handled_by(const Node& node);

/// The attribute that a handle gets where no wish of the graph, but the directory of the cluster,
/// decided where its thing lives.
inline constexpr const char* unpinned_attr = "_unpinned";

}  // namespace troupe
