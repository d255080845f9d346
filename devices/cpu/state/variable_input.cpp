#include "troupe/devices/cpu/state/variable_input.hpp"

#include <cstring>
#include <string>

namespace troupe::cpu {
namespace {

std::string name_of(const ResourceHandle& handle) {
  auto name = "variable '" + handle.name + "'";
  if (!handle.container.empty()) name += " of container '" + handle.container + "'";
  return name;
}

}  // namespace

Result<VariableResource*> variable_input(const Launch& launch, int index) {
  const auto& handle = launch.input(index).value<ResourceHandle>();
  auto* resource = handle.resource.get();
  if (!resource) return failed_precondition(name_of(handle) + " is not bound to a container");
  if (std::strcmp(resource->kind(), "variable") != 0)
    return invalid_argument(
        "'" + handle.name + "' is a " + resource->kind() + ", but a variable is needed");
  return static_cast<VariableResource*>(resource);
}

Status no_value(const Launch& launch, int index) {
  const auto& handle = launch.input(index).value<ResourceHandle>();
  if (handle.resource->is_dropped())
    return aborted(name_of(handle) + " is gone: its container was reset");
  return failed_precondition(
      name_of(handle) + " has no value yet: its initializer must be run first");
}

Result<Tensor> allocate_update(const Launch& launch, const Tensor& value) {
  if (value.is_sole_owner()) return value;
  return launch.allocate(value.dtype(), value.shape());
}

Status check_fits(DType dtype, const Shape& shape, DType expected, const Shape& expected_shape) {
  if (dtype == expected && shape.is_compatible_with(expected_shape)) return {};
  return invalid_argument(
      std::string("the variable is ") + to_string(expected) + expected_shape.to_string() +
      ", but the value is " + to_string(dtype) + shape.to_string());
}

}  // namespace troupe::cpu
