#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

/// What a training op has besides variables and gradients: its scalars in the order in which it
/// declares them, and its flag. Every dtype fits in there and comes back as it was.
struct TrainingScalars {
  static constexpr size_t most = 8;
  std::array<complex128, most> values;
  bool flag = false;

  template <class A>
  A get(size_t index) const {
    if constexpr (is_complex<A>) return static_cast<A>(values[index]);
    else return static_cast<A>(values[index].real());
  }
  double real(size_t index) const { return values[index].real(); }
};

/// What the scalars of an op must be; null: anything.
using TrainingCheck = Status (*)(const TrainingScalars& scalars);
/// As in TensorFlow, few ops say what their scalars must be.
TrainingCheck find_training_check(std::string_view op);

/// What the inputs of a training op are. On cards its scalars lie on the host where there is a
/// check (host_arguments.hpp).
struct TrainingInputs {
  static constexpr int variables_max = 4;

  int variables = 0;
  int gradient = -1;
  int indices = -1;  // the rows of the variables that the gradient's rows are for, if any
  std::vector<int> scalars;

  explicit TrainingInputs(const Op& op);

  /// Fails unless all scalars are some.
  Status check_scalars(const Launch& launch) const;
  /// The scalars, which lie on the host.
  Result<TrainingScalars> read_scalars(const Launch& launch, bool flag, TrainingCheck check) const;
  /// Fails unless all variables have the gradient's shape or, of rows, one shape, and the gradient
  /// a row of it for each index.
  Status check_shapes(const Launch& launch, std::span<Tensor* const> values) const;
};

}  // namespace troupe::cpu
