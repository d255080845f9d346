#pragma once

#include <optional>
#include <string>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// The resource whose handle the node makes, or that it works on by name; nothing for other nodes.
std::optional<ResourceName> resource_of(const Node& node);

/// Whether that resource has no name that others could use: it belongs to one session, in a
/// container of its own.
bool is_unshared(const ResourceName& resource);

/// The container that the graph names for the node's resource, which a reset names, too.
const std::string& container_of(const Node& handle);

/// Fails unless it can name a container: "" is the default one.
Status check_container(const std::string& name);

/// Attribute of a handle whose resource was placed by the directory service of the cluster, not by
/// a device constraint of the graph.
inline constexpr const char* unpinned_attr = "_unpinned";

}  // namespace troupe
