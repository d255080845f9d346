#include "troupe/devices/cpu/int_input.hpp"

#include <algorithm>
#include <string>

#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

Status fill_ints(Tensor& tensor, std::span<const int64_t> values) {
  if (tensor.dtype() == DType::int64) {
    std::ranges::copy(values, tensor.mutable_data<int64_t>());
    return {};
  }
  auto* out = tensor.mutable_data<int32_t>();
  for (auto value : values) {
    if (value > std::numeric_limits<int32_t>::max())
      return invalid_argument(std::to_string(value) + " does not fit in an int32 result");
    *out++ = static_cast<int32_t>(value);
  }
  return {};
}

Status set_ints(
    Launch& launch, int index, DType dtype, const Shape& shape, std::span<const int64_t> values) {
  auto out = Tensor::allocate(dtype, shape, launch.device().host_allocator());
  if (!out) return out.status();
  auto status = fill_ints(*out, values);
  if (status.ok()) launch.set(index, *std::move(out));
  return status;
}

}  // namespace

Result<IntInput> IntInput::of(const Tensor& tensor) {
  if (tensor.shape().rank() > 1)
    return invalid_argument(
        "a scalar or vector of integers is needed, not one of shape " + tensor.shape().to_string());
  if (tensor.elements() > Shape::max_rank)
    return invalid_argument(
        "a tensor has at most " + std::to_string(Shape::max_rank) + " dimensions, not " +
        std::to_string(tensor.elements()));
  IntInput ints;
  ints.count_ = static_cast<int>(tensor.elements());
  if (tensor.dtype() == DType::int64)
    std::ranges::copy(tensor.values<int64_t>(), ints.values_.begin());
  else std::ranges::copy(tensor.values<int32_t>(), ints.values_.begin());
  return ints;
}

Result<int64_t> scalar_input(const Tensor& tensor, const std::string& name) {
  if (!tensor.shape().is_scalar())
    return invalid_argument(name + " must be a scalar, not of shape " + tensor.shape().to_string());
  if (tensor.dtype() == DType::int64) return tensor.value<int64_t>();
  return int64_t{tensor.value<int32_t>()};
}

Result<Shape> shape_input(const Tensor& tensor) {
  if (tensor.shape().rank() != 1)
    return invalid_argument(
        "a vector of sizes is needed, not a tensor of shape " + tensor.shape().to_string());
  auto sizes = IntInput::of(tensor);
  if (!sizes) return sizes.status();
  for (auto size : sizes->values())
    if (size < 0)
      return invalid_argument("a dimension cannot have the size " + std::to_string(size));
  return Shape::make(sizes->values());
}

Status set_ints(Launch& launch, int index, DType dtype, std::span<const int64_t> values) {
  return set_ints(launch, index, dtype, {static_cast<int64_t>(values.size())}, values);
}

Status set_int(Launch& launch, int index, DType dtype, int64_t value) {
  return set_ints(launch, index, dtype, {}, {&value, 1});
}

}  // namespace troupe::cpu
