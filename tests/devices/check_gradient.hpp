#pragma once

#include <string>
#include <vector>

#include "troupe/graph/function.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/types/attr.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::testing {

/// A tensor and whether derivatives with respect to it are checked.
struct GradientInput {
  Tensor value;
  bool is_variable = true;
};

/// One op on some inputs: its derivatives are compared with central differences.
struct GradientCase {
  std::string op;
  std::vector<GradientInput> inputs;
  Attrs attrs = {};
  std::vector<FunctionDef> functions = {};
};

/// What is known of the inputs of an op before the step: shapes, only ranks, or nothing. Inputs
/// that are not differentiated may also be constants.
enum class KnownShapes { constants, shapes, ranks, nothing };

/// Whether the op passes derivatives on. (Not ops such as Shape, whose gradient says that there is
/// none.)
bool has_derivatives(const Op& op);

/// Fails the test where a derivative of the sum of all float64 outputs, each element times a weight
/// of its own, is none.
void check_gradient(const GradientCase& c, KnownShapes known_shapes);

}  // namespace troupe::testing
