#pragma once

#include <memory>
#include <optional>

#include "troupe/devices/data/dataset.hpp"

namespace troupe::data {

/// The value of a variant that holds an element, or none. (TensorFlow: OptionalVariant.)
class OptionalElement final : public VariantValue {
 public:
  explicit OptionalElement(std::optional<Element> element) : element_(std::move(element)) {}

  const char* type_name() const override { return "optional"; }
  const std::optional<Element>& element() const { return element_; }

 private:
  const std::optional<Element> element_;
};

/// What a tensor holds; it lives as long as the tensor. InvalidArgument: it is no optional.
Result<const OptionalElement*> optional_of(const Tensor& tensor);

/// A tensor that holds the element, or none.
Tensor optional_tensor(std::optional<Element> element);

}  // namespace troupe::data
