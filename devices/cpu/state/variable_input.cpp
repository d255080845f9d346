#include "troupe/devices/cpu/state/variable_input.hpp"

#include <string>

#include "troupe/devices/cpu/parallel.hpp"

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

Result<Tensor> copy_for_update(const Launch& launch, const Tensor& value) {
  auto updated = allocate_update(launch, value);
  if (!updated || updated->raw() == value.raw()) return updated;
  if (value.dtype() == DType::string) {
    std::ranges::copy(value.values<std::string>(), updated->mutable_data<std::string>());
    return updated;
  }
  auto* to = static_cast<std::byte*>(updated->mutable_raw());
  const auto* from = static_cast<const std::byte*>(value.raw());
  parallel_ranges(static_cast<int64_t>(value.bytes()), 1, [&](int64_t begin, int64_t end) {
    std::copy(from + begin, from + end, to + begin);
  });
  return updated;
}

Status check_fits(DType dtype, const Shape& shape, DType expected, const Shape& expected_shape) {
  if (dtype == expected && shape.is_compatible_with(expected_shape)) return {};
  return invalid_argument(
      std::string("the variable is ") + to_string(expected) + expected_shape.to_string() +
      ", but the value is " + to_string(dtype) + shape.to_string());
}

}  // namespace troupe::cpu
