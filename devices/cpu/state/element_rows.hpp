#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// What ops on arrays and lists of tensors have in common: elements become rows of a tensor, and
/// rows become elements. Errors are InvalidArgument and name the shapes.

/// Computes and copies elements in the memory of a kind of devices; a launch is on one of them.
class ElementRows {
 public:
  virtual ~ElementRows() = default;
  /// Memory for elements, where those of that dtype lie.
  virtual Result<Tensor> allocate(const Launch& launch, DType dtype, const Shape& shape) const = 0;
  /// InvalidArgument where none of that dtype is 0.
  virtual Result<Tensor> zeros(const Launch& launch, DType dtype, const Shape& shape) const = 0;
  /// Of two tensors of one dtype and shape; may write over `a`. InvalidArgument, or Unimplemented,
  /// where those of that dtype cannot be summed.
  virtual Result<Tensor> sum(const Launch& launch, Tensor a, const Tensor& b) const = 0;
  /// The elements of `whole` from `first` on, in that shape; may share them.
  virtual Result<Tensor> part(
      const Launch& launch, const Tensor& whole, int64_t first, const Shape& shape) const = 0;
  /// All rows of a tensor that is no scalar: by part(), where a device knows nothing better.
  virtual Result<Tensors> rows(const Launch& launch, const Tensor& whole) const;
  /// Copies the values, one after the other, to all elements of `to`.
  virtual Status join(const Launch& launch, Tensor& to, const Tensors& values) const = 0;
};

/// On the host.
const ElementRows& host_rows();

/// The shape of a row of a tensor that is no scalar.
Shape row_of(const Shape& shape);

/// Sets output 0 to a tensor whose rows are the values: they have one shape, of which `known` is
/// known. Unimplemented where there is no value and the shape is not known.
Status set_stack(
    Launch& launch, const ElementRows& rows, DType dtype, const Tensors& values,
    const Shape& known);

/// Sets output 0 to the values one after the other along axis 0, and output 1, int64 on the host,
/// to how long each is there. `known` is what is known of the shape of their rows.
Status set_concatenation(
    Launch& launch, const ElementRows& rows, DType dtype, const Tensors& values,
    const Shape& known);

/// Fails unless the value has a row for each of the indices, which are a vector.
Status check_row_indices(const Tensor& indices, const Tensor& value);

/// Fails unless parts of those lengths, an int64 vector, make up the value along axis 0.
Status check_lengths(const Tensor& lengths, const Tensor& value);

}  // namespace troupe::cpu
