#include "troupe/actors/container/container_actor.hpp"

#include "troupe/actors/self.hpp"
#include "troupe/devices/resources/variable.hpp"

namespace troupe {
namespace {

struct ContainerState {
  static constexpr const char* name = "container";

  ContainerState() = default;

  struct OwnedResource {
    std::shared_ptr<VariableResource> variable;
    std::string device;
  };

  std::string container;
  std::map<std::string, OwnedResource> variables;

  ~ContainerState() { drop_all(); }

  void drop_all() {
    for (auto& [variable_name, owned] : variables) owned.variable->drop();
    variables.clear();
  }

  Result<std::shared_ptr<Resource>> find_or_make(
      const ResourceUse& use, const std::string& device) {
    auto& [variable, its_device] = variables[use.name.name];
    if (!variable) {
      variable = std::make_shared<VariableResource>(use.dtype, use.shape);
      its_device = device;
    }
    auto describe = [](DType dtype, const Shape& shape) {
      return to_string(dtype) + shape.to_string();
    };
    if (variable->dtype() != use.dtype || !variable->shape().is_compatible_with(use.shape))
      return invalid_argument(
          "variable '" + use.name.name + "' of container '" + container + "' is " +
          describe(variable->dtype(), variable->shape()) + ", but the graph declares it as " +
          describe(use.dtype, use.shape) + "; reset the container or choose another name");
    return std::shared_ptr<Resource>(variable);
  }

  TaskResources list(std::chrono::nanoseconds now) const {
    TaskResources list;
    for (const auto& [variable_name, owned] : variables) {
      auto facts = owned.variable->describe();
      auto idle = now - owned.variable->used_at();
      list.resources.push_back(
          {.name = {container, variable_name},
           .kind = owned.variable->kind(),
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
