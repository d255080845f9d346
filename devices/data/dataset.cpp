#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {
namespace {

Status wrong_count(size_t expected, size_t given) {
  return invalid_argument(
      "Number of components does not match: expected " + std::to_string(expected) +
      " types but got " + std::to_string(given) + ".");
}

Status check_component(
    size_t index, DType dtype, const Shape& shape, DType expected_dtype,
    const Shape& expected_shape) {
  if (dtype != expected_dtype)
    return invalid_argument(
        "Data type mismatch at component " + std::to_string(index) + ": expected " +
        to_string(expected_dtype) + " but got " + to_string(dtype) + ".");
  if (!shape.is_compatible_with(expected_shape))
    return invalid_argument(
        "Incompatible shapes at component " + std::to_string(index) + ": expected " +
        expected_shape.to_string() + " but got " + shape.to_string() + ".");
  return {};
}

}  // namespace

Result<SharedDataset> dataset_of(const Tensor& tensor) {
  if (tensor.dtype() != DType::variant || !tensor.shape().is_scalar())
    return invalid_argument("Dataset tensor must be a scalar of dtype tf.variant.");
  auto dataset = std::dynamic_pointer_cast<const Dataset>(tensor.value<Variant>());
  if (!dataset) return invalid_argument("Tensor must be a Dataset object.");
  return dataset;
}

Tensor to_tensor(SharedDataset dataset) { return Tensor::scalar<Variant>(std::move(dataset)); }

Status check_components(
    const DTypes& dtypes, const Shapes& shapes, const DTypes& expected_dtypes,
    const Shapes& expected_shapes) {
  if (dtypes.size() != expected_dtypes.size() || shapes.size() != dtypes.size() ||
      expected_shapes.size() != dtypes.size())
    return wrong_count(expected_dtypes.size(), dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i)
    if (auto status =
            check_component(i, dtypes[i], shapes[i], expected_dtypes[i], expected_shapes[i]);
        !status.ok())
      return status;
  return {};
}

Status check_element(
    const Element& element, const DTypes& expected_dtypes, const Shapes& expected_shapes) {
  if (element.size() != expected_dtypes.size() || expected_shapes.size() != element.size())
    return wrong_count(expected_dtypes.size(), element.size());
  for (size_t i = 0; i < element.size(); ++i)
    if (auto status = check_component(
            i, element[i].dtype(), element[i].shape(), expected_dtypes[i], expected_shapes[i]);
        !status.ok())
      return status;
  return {};
}

}  // namespace troupe::data
