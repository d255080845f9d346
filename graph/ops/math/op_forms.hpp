#pragma once

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::ops {

/// The form of an element-wise function: x to y, both of a dtype T that is one of `dtypes`. An
/// empty gradient: the op has none.
Op unary(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient);

/// The form of an element-wise function of two operands x and y, broadcast together, to z.
Op binary(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient);

/// The form of a derivative: from the function's own result y and the gradient dy, of one shape,
/// to z.
Op unary_gradient(const char* name, const char* doc, Op::MakeGradient gradient);

/// The complex conjugate where the value is complex: gradients of complex values are conjugates of
/// the mathematical derivatives, as in TensorFlow.
Value conj(const Value& value);

}  // namespace troupe::ops
