#include "troupe/actors/container/container_actor.hpp"

#include "troupe/actors/self.hpp"

namespace troupe {
namespace {

struct ContainerState {
  static constexpr const char* name = "container";

  ContainerState() = default;

  struct OwnedResource {
    std::shared_ptr<Resource> resource;
    std::string device;
  };

  std::string container;
  std::map<std::string, OwnedResource> resources;

  ~ContainerState() { drop_all(); }

  void drop_all() {
    for (auto& [resource_name, owned] : resources) owned.resource->drop();
    resources.clear();
  }

  Result<std::shared_ptr<Resource>> find_or_make(
      const ResourceUse& use, const std::string& device) {
    auto found = resources.find(use.name.name);
    if (found == resources.end()) {
      auto made = use.kind->make(use.handle());
      if (!made) return made;
      found = resources.emplace(use.name.name, OwnedResource{*std::move(made), device}).first;
    }
    const auto& resource = found->second.resource;
    auto status = use.kind->check_declared(*resource, use.name, use.handle());
    if (!status.ok()) return status;
    return resource;
  }

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
           .idle = std::chrono::duration_cast<std::chrono::milliseconds>(idle)});
    }
    return list;
  }
};

ContainerActor::behavior_type container(
    Self<ContainerActor, ContainerState> self, std::string name) {
  auto& state = self->state;
  state.container = std::move(name);
  return {
      [&state](const Bind& bind) -> caf::result<Status, Bindings> {
        Bindings bindings;
        for (const auto& use : bind.uses) {
          auto resource = state.find_or_make(use, bind.device);
          if (!resource) return {resource.status(), Bindings()};
          bindings[use.node] = *resource;
        }
        return {Status(), std::move(bindings)};
      },
      [&state](const ResetContainer&) { state.drop_all(); },
      [&state](const ListContainer& call) { return state.list(call.now); },
  };
}

}  // namespace

ContainerActor spawn_container(caf::actor_system& system, std::string name) {
  return system.spawn(container, std::move(name));
}

}  // namespace troupe
