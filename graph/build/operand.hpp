#pragma once

#include <optional>
#include <utility>

#include "troupe/graph/build/builder.hpp"

namespace troupe {

/// An argument of a function that adds nodes: a tensor, or a number that becomes a scalar of the
/// dtype that it is combined with.
class Operand {
 public:
  Operand() = default;
  template <Arithmetic T>
  Operand(T number) : number_(static_cast<double>(number)) {}
  Operand(Value tensor) : number_(std::nullopt), tensor_(std::move(tensor)) {}
  Operand(const Variable& variable) : Operand(variable.value()) {}

  /// Nothing for a tensor.
  std::optional<double> number() const { return number_; }
  /// A tensor of that dtype, cast to it if need be, on which operators add nodes as `builder` does.
  /// A tensor of no graph, or of another graph, is recorded as the builder's error.
  Value tensor(const Builder& builder, DType dtype) const;
  /// The same of a tensor's own dtype; float32 for a number.
  Value tensor(const Builder& builder) const;

 private:
  std::optional<double> number_ = 0;
  Value tensor_;
};

}  // namespace troupe
