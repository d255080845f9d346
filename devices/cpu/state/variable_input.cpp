#include "troupe/devices/cpu/state/variable_input.hpp"

#include <string>

namespace troupe::cpu {

Result<VariableResource*> variable_input(const Launch& launch, int index) {
  return resource_input<VariableResource>(launch, index);
}

Status no_value(const Launch& launch, int index) {
  const auto& handle = launch.input(index).value<ResourceHandle>();
  if (handle.resource->is_dropped()) return gone(handle);
  return failed_precondition(
      describe(handle, VariableResource::kind_name) +
      " has no value yet: its initializer must be run first");
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
