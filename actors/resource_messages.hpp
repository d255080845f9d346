#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "troupe/actors/node_serialization.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

// The messages between tasks about containers and the resources in them; part of
// `node_messages.hpp`.

/// Containers by name, or all of them.
struct ContainerChoice {
  std::vector<std::string> names;
  bool all = false;

  bool contains(const std::string& container) const {
    return all || std::ranges::count(names, container) > 0;
  }
  /// "'a', 'b'", or "all containers".
  std::string to_string() const {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return all ? "all containers" : text;
  }
};

/// Drops the resources of those containers on the task, and closes its sessions that use them.
struct ResetContainers {
  ContainerChoice containers;
};

/// Asks a task for the resources in its containers, with their sizes and idle times.
struct ListTaskResources {};
struct TaskResources {
  std::vector<ListedResource> resources;
};

/// Asks the directory service for the devices of resources. Places none.
struct FindResources {
  std::vector<ResourceName> names;
  bool is_pinned = false;  // by the graph: answered even while the service's index is incomplete
};
/// Sent by a task to the directory service before its containers hold the resources: places them on
/// the devices, unless one of them is placed on another already; then none is placed.
struct PlaceResources {
  std::vector<ResourceName> names;
  std::vector<std::string> devices;  // of the task, one for each name
  bool is_pinned = false;  // by the graph: answered even while the service's index is incomplete
};
/// The device of each name; empty if it is not placed.
struct ResourcePlaces {
  std::vector<std::string> devices;
};

/// Sent by the directory service to a task: asks for the resources that its containers hold.
struct ListHeldResources {};
struct HeldResources {
  std::vector<ResourceName> names;
  std::vector<std::string> devices;  // one for each name
};

/// Asks the directory service to remove resources of those containers that no task holds any more.
/// Answered after the service has asked the tasks that held them.
struct Reconcile {
  ContainerChoice containers;
};

template <class Inspector>
auto inspect(Inspector& f, ContainerChoice& x) {
  return f(caf::meta::type_name("ContainerChoice"), x.names, x.all);
}
template <class Inspector>
auto inspect(Inspector& f, ListTaskResources&) {
  return f(caf::meta::type_name("ListTaskResources"));
}
template <class Inspector>
auto inspect(Inspector& f, TaskResources& x) {
  return f(caf::meta::type_name("TaskResources"), x.resources);
}
template <class Inspector>
auto inspect(Inspector& f, ResetContainers& x) {
  return f(caf::meta::type_name("ResetContainers"), x.containers);
}
template <class Inspector>
auto inspect(Inspector& f, FindResources& x) {
  return f(caf::meta::type_name("FindResources"), x.names, x.is_pinned);
}
template <class Inspector>
auto inspect(Inspector& f, PlaceResources& x) {
  return f(caf::meta::type_name("PlaceResources"), x.names, x.devices, x.is_pinned);
}
template <class Inspector>
auto inspect(Inspector& f, ResourcePlaces& x) {
  return f(caf::meta::type_name("ResourcePlaces"), x.devices);
}
template <class Inspector>
auto inspect(Inspector& f, ListHeldResources&) {
  return f(caf::meta::type_name("ListHeldResources"));
}
template <class Inspector>
auto inspect(Inspector& f, HeldResources& x) {
  return f(caf::meta::type_name("HeldResources"), x.names, x.devices);
}
template <class Inspector>
auto inspect(Inspector& f, Reconcile& x) {
  return f(caf::meta::type_name("Reconcile"), x.containers);
}

}  // namespace troupe
