#include "troupe/devices/temporary_variable.hpp"

#include "troupe/devices/resources/variable.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe {
namespace {

Result<Kernel> make_temporary(const Node& node) {
  const auto& given = node.attr<std::string>("var_name");
  auto compute = [name = given.empty() ? node.name : given, dtype = node.attr<DType>("dtype"),
                  shape = node.attr<Shape>("shape")](Launch& launch) {
    auto variable = std::make_shared<VariableResource>(dtype, shape);
    launch.set(0, Tensor::scalar(launch.step_resources().add(name, std::move(variable))));
    return Status();
  };
  return Kernel{.compute = compute};
}

/// The temporary variable of that name behind the handle.
Result<VariableResource*> find_temporary(const ResourceHandle& handle, const std::string& name) {
  auto* variable = dynamic_cast<VariableResource*>(handle.resource.get());
  if (variable && StepResources::is_named(handle, name)) return variable;
  return not_found("'" + handle.name + "' is no temporary variable '" + name + "' of this step");
}

Status destroy_temporary(Launch& launch, const std::string& name) {
  const auto& handle = launch.input(0).value<ResourceHandle>();
  auto variable = find_temporary(handle, name);
  if (!variable) return variable.status();
  auto value = VariableUpdate(**variable).value();
  if (!value.is_set()) return failed_precondition("Attempting to use uninitialized value " + name);
  launch.step_resources().drop(handle);
  launch.set(0, std::move(value));
  return {};
}

Result<Kernel> make_destroy(const Node& node) {
  return Kernel{.compute = [name = node.attr<std::string>("var_name")](Launch& launch) {
    return destroy_temporary(launch, name);
  }};
}

}  // namespace

void add_temporary_variable_kernels(KernelCatalog& catalog) {
  catalog.add("TemporaryVariable", make_temporary);
  catalog.add("DestroyTemporaryVariable", make_destroy);
}

}  // namespace troupe
