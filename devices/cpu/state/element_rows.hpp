#pragma once

#include "troupe/devices/kernel.hpp"
#include "troupe/devices/resources/tensor_array.hpp"

namespace troupe::cpu {

/// What ops on arrays and lists of tensors have in common: elements become rows of a tensor, and
/// rows become elements. Errors are InvalidArgument and name the shapes.

/// On the host, in memory of the launch's device.
class HostElementMath final : public ElementMath {
 public:
  explicit HostElementMath(const Launch& launch) : launch_(launch) {}
  Result<Tensor> zeros(DType dtype, const Shape& shape) override;
  Result<Tensor> sum(Tensor a, const Tensor& b) override;

 private:
  const Launch& launch_;
};

/// The shape of a row of a tensor that is no scalar.
Shape row_of(const Shape& shape);

/// Sets output 0 to a tensor whose rows are the values: they have one shape, of which `known` is
/// known. Unimplemented where there is no value and the shape is not known.
Status set_stack(Launch& launch, DType dtype, const Tensors& values, const Shape& known);

/// Sets output 0 to the values one after the other along axis 0, and output 1, int64, to how long
/// each is there. `known` is what is known of the shape of their rows.
Status set_concatenation(Launch& launch, DType dtype, const Tensors& values, const Shape& known);

/// Fails unless the value has a row for each of the indices, which are a vector.
Status check_row_indices(const Tensor& indices, const Tensor& value);

/// Fails unless parts of those lengths, an int64 vector, make up the value along axis 0.
Status check_lengths(const Tensor& lengths, const Tensor& value);

}  // namespace troupe::cpu
