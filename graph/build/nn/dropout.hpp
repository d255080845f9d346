#pragma once

#include <optional>
#include <vector>

#include "troupe/graph/build/operand.hpp"

namespace troupe::nn {

struct DropoutOptions {
  Operand rate = 0.5;
  /// The shape of what is drawn, which broadcasts to that of x: along an axis of size 1 all
  /// elements are kept or dropped together. Shape::unknown stands for the size of x. None: the
  /// shape of x.
  std::optional<std::vector<int64_t>> noise_shape = {};
  std::optional<int64_t> seed = {};
};

/// Sets elements to zero at a rate in [0, 1), and scales the others to keep the expected sum.
Value dropout(const Builder& builder, const Value& x, const DropoutOptions& options = {});

}  // namespace troupe::nn
