#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// The few integers of an int32 or int64 scalar or vector that says sizes, axes or positions: at
/// most one for each dimension that a tensor can have. A value without allocations.
class IntInput {
 public:
  static Result<IntInput> of(const Tensor& tensor);

  int count() const { return count_; }
  int64_t operator[](int index) const { return values_[static_cast<size_t>(index)]; }
  std::span<const int64_t> values() const { return {values_.data(), static_cast<size_t>(count_)}; }

 private:
  std::array<int64_t, Shape::max_rank> values_{};
  int count_ = 0;
};

/// The integer of an int32 or int64 scalar; the error names the input.
Result<int64_t> scalar_input(const Tensor& tensor, const std::string& name);

/// The integers of a vector as the shape of a result: none may be negative.
Result<Shape> shape_input(const Tensor& tensor);

/// Sets output `index` to an int32 or int64 vector, or a scalar, in the host's memory.
Status set_ints(Launch& launch, int index, DType dtype, std::span<const int64_t> values);
Status set_int(Launch& launch, int index, DType dtype, int64_t value);

}  // namespace troupe::cpu
