#pragma once

#include "troupe/graph/types/dtype.hpp"

namespace troupe {

/// The value of an element of a variant tensor: what an op passes to another of its family and no
/// other op looks into, such as a dataset. It does not change once it is in a tensor, so tensors
/// and threads share it. (TensorFlow: Variant.)
class VariantValue {
 public:
  virtual ~VariantValue() = default;

  /// "dataset": for error messages.
  virtual const char* type_name() const = 0;
};

}  // namespace troupe
