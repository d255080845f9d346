#include "troupe/actors/container/container_actor.hpp"

#include <algorithm>

#include "troupe/actors/self.hpp"

namespace troupe {
namespace {

constexpr std::string_view private_prefix = "_session/";

struct ContainerState {
  static constexpr const char* name = "container";

  ContainerState() = default;

  struct OwnedResource {
    std::shared_ptr<Resource> resource;
    std::string device;
    bool is_shared = false;  // plans were bound to it besides the one that it was committed for
  };

  std::string container;
  std::shared_ptr<ResourceIndex> index;
  std::map<std::string, OwnedResource> resources;

  ~ContainerState() { drop_all(); }

  // -- binding

  Result<Bindings> bind(const Bind& call) {
    Plan::Bindings held;
    std::vector<ResourceUse> missing;
    for (const auto& use : call.uses) {
      auto found = resources.find(use.name.name);
      if (found == resources.end()) {
        missing.push_back(use);
        continue;
      }
      if (auto status = check(found->second, use, call.device); !status.ok()) return status;
      found->second.is_shared = true;
      held[use.node] = found->second.resource;
    }
    auto bindings = bind_new(missing);
    if (bindings) bindings->resources.merge(held);
    return bindings;
  }

  Status check(
      const OwnedResource& owned, const ResourceUse& use, const std::string& device) const {
    auto status = use.kind->check_declared(*owned.resource, use.name, use.handle());
    if (!status.ok() || owned.device == device) return status;
    if (use.is_pinned || is_private(container))
      return placed_elsewhere(use.name, owned.device, device);
    return placed_meanwhile(use.name, owned.device);
  }

  // -- changes

  Status commit(const Commit& call) {
    for (const auto& made : call.resources)
      if (auto found = resources.find(made.name.name); found != resources.end())
        return placed_meanwhile(made.name, found->second.device);
    for (const auto& made : call.resources) {
      resources[made.name.name] = {.resource = made.resource, .device = call.device};
      if (!is_private(container)) index->add(made.name, call.device);
    }
    return {};
  }

  void withdraw(const Withdraw& call) {
    for (const auto& made : call.resources) {
      auto found = resources.find(made.name.name);
      if (found == resources.end() || found->second.resource != made.resource) continue;
      if (!found->second.is_shared) drop(found);
    }
  }

  void drop_all() {
    while (!resources.empty()) drop(resources.begin());
  }

  void drop(std::map<std::string, OwnedResource>::iterator owned) {
    owned->second.resource->drop();
    if (!is_private(container)) index->remove({container, owned->first});
    resources.erase(owned);
  }

  // -- lists

  TaskResources list(std::chrono::nanoseconds now) const {
    TaskResources list;
    for (const auto& [resource_name, owned] : resources) {
      auto facts = owned.resource->describe();
      auto idle = now - owned.resource->used_at();
      list.resources.push_back(
          {.name = {container, resource_name},
           .kind = owned.resource->kind(),
           .dtype = facts.dtype,
           .shape = facts.shape,
           .bytes = facts.bytes,
           .device = owned.device,
           .idle = std::chrono::duration_cast<std::chrono::milliseconds>(idle),
           .queue = owned.resource->queue_use(now)});
    }
    return list;
  }

  HeldResources held() const {
    HeldResources held;
    for (const auto& [resource_name, owned] : resources) {
      held.names.push_back({container, resource_name});
      held.devices.push_back(owned.device);
    }
    return held;
  }
};

ContainerActor::behavior_type container(
    Self<ContainerActor, ContainerState> self, std::string name,
    std::shared_ptr<ResourceIndex> index) {
  auto& state = self->state;
  state.container = std::move(name);
  state.index = std::move(index);
  return {
      [&state](const Bind& call) -> caf::result<Status, Bindings> {
        auto bindings = state.bind(call);
        if (!bindings) return {bindings.status(), Bindings()};
        return {Status(), *std::move(bindings)};
      },
      [&state](const Commit& call) { return state.commit(call); },
      [&state](const Withdraw& call) { state.withdraw(call); },
      [&state](const ResetContainer&) { state.drop_all(); },
      [&state](const ListContainer& call) { return state.list(call.now); },
      [&state](const ListHeldResources&) { return state.held(); },
  };
}

}  // namespace

ContainerActor spawn_container(
    caf::actor_system& system, std::string name, std::shared_ptr<ResourceIndex> index) {
  return system.spawn(container, std::move(name), std::move(index));
}

Result<Bindings> bind_new(const std::vector<ResourceUse>& uses) {
  Bindings bindings;
  // One for each name, though several handles may declare it. It is created if one of them does.
  std::map<ResourceName, std::pair<NewResource, bool>> all_made;
  for (const auto& use : uses) {
    auto& [made, is_created] = all_made[use.name];
    if (!made.resource) {
      auto resource = use.make();
      if (!resource)
        return resource.status().at({.node = use.handle().name, .op = use.handle().op->name()});
      made = {.name = use.name, .resource = *std::move(resource)};
    }
    auto status = use.kind->check_declared(*made.resource, use.name, use.handle());
    if (!status.ok()) return status;
    made.is_pinned |= use.is_pinned;
    is_created |= use.is_created;
    bindings.resources[use.node] = made.resource;
  }
  for (auto& [resource_name, made] : all_made)
    (made.second ? bindings.created : bindings.absent).push_back(std::move(made.first));
  return bindings;
}

Status placed_elsewhere(
    const ResourceName& name, const std::string& device, const std::string& requested) {
  return failed_precondition(
      "resource '" + name.name + "' of container '" + name.container + "' is placed on " + device +
      ", but the graph places it on " + requested +
      "; remove the device constraint, reset the container, or choose another name");
}

Status placed_meanwhile(const ResourceName& name, const std::string& device) {
  return aborted(
      "resource '" + name.name + "' of container '" + name.container + "' was placed on " + device +
      " meanwhile");
}

std::string private_container(uint64_t session, const std::string& container) {
  return std::string(private_prefix) + std::to_string(session) + "/" + container;
}

bool is_private(const std::string& container) { return container.starts_with(private_prefix); }

bool is_private_of(uint64_t session, const std::string& container) {
  return container.starts_with(private_container(session, ""));
}

}  // namespace troupe
