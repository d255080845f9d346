#include "troupe/devices/data/optional.hpp"

namespace troupe::data {

Result<const OptionalElement*> optional_of(const Tensor& tensor) {
  if (tensor.dtype() != DType::variant || !tensor.shape().is_scalar())
    return invalid_argument(
        "an optional must be a scalar of dtype variant, but is " +
        std::string(to_string(tensor.dtype())) + tensor.shape().to_string());
  const auto* optional = dynamic_cast<const OptionalElement*>(tensor.value<Variant>().get());
  if (!optional) return invalid_argument("the variant must hold an optional");
  return optional;
}

Tensor optional_tensor(std::optional<Element> element) {
  return Tensor::scalar<Variant>(std::make_shared<OptionalElement>(std::move(element)));
}

}  // namespace troupe::data
