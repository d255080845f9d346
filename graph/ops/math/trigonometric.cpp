#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

/// An element-wise function of a real or complex x, whose derivative at x is a function of x.
Op function_with_derivative(
    const char* name, const char* doc, Value (*derivative)(const Gradient& g, const Value& x)) {
  return unary(name, doc, differentiable(), [derivative](Gradient& g) {
    g.to_input(0, g.dy() * derivative(g, conj(g.in(0))));
  });
}

Value inverse(const Gradient& g, const Value& x) { return g.op("Reciprocal", {x}); }

void add_circular_functions(OpCatalog& catalog) {
  catalog.add(function_with_derivative(
      "Sin", "The sine of x, in radians.",
      [](const Gradient& g, const Value& x) { return g.op("Cos", {x}); }));
  catalog.add(function_with_derivative(
      "Cos", "The cosine of x, in radians.",
      [](const Gradient& g, const Value& x) { return -g.op("Sin", {x}); }));
  catalog.add(function_with_derivative(
      "Tan", "The tangent of x, in radians.", [](const Gradient& g, const Value& x) {
        return g.square(inverse(g, g.op("Cos", {x})));
      }));
  catalog.add(function_with_derivative(
      "Asin", "The angle, in radians, whose sine is x; NaN where a real x is outside of [-1, 1].",
      [](const Gradient& g, const Value& x) {
        return inverse(g, g.sqrt(1.0 - g.square(x)));
      }));
  catalog.add(function_with_derivative(
      "Acos", "The angle, in radians, whose cosine is x; NaN where a real x is outside of [-1, 1].",
      [](const Gradient& g, const Value& x) {
        return -inverse(g, g.sqrt(1.0 - g.square(x)));
      }));
  catalog.add(function_with_derivative(
      "Atan", "The angle, in radians, whose tangent is x.",
      [](const Gradient& g, const Value& x) { return inverse(g, 1.0 + g.square(x)); }));
  catalog.add(Op("Atan2")
      .doc("The angle of the point (x, y) in radians, between -pi and pi, with broadcasting.")
      .input("y", "T")
      .input("x", "T")
      .output("z", "T")
      .attr("T", floating())
      .infer_shape(shapes::broadcast())
      .gradient([](Gradient& g) {
        const auto &y = g.in(0), &x = g.in(1);
        auto quotient = g.dy() / (g.square(x) + g.square(y));
        if (g.wants(0)) g.to_operand(0, x * quotient);
        if (g.wants(1)) g.to_operand(1, -(y * quotient));
      }));
}

void add_hyperbolic_functions(OpCatalog& catalog) {
  catalog.add(function_with_derivative(
      "Sinh", "The hyperbolic sine of x.",
      [](const Gradient& g, const Value& x) { return g.op("Cosh", {x}); }));
  catalog.add(function_with_derivative(
      "Cosh", "The hyperbolic cosine of x.",
      [](const Gradient& g, const Value& x) { return g.op("Sinh", {x}); }));
  // As TensorFlow's, from the result.
  catalog.add(unary(
      "Asinh", "The number whose hyperbolic sine is x.", differentiable(),
      [](Gradient& g) { g.to_input(0, g.dy() / g.op("Cosh", {conj(g.out(0))})); }));
  catalog.add(unary(
      "Acosh", "The number whose hyperbolic cosine is x; NaN where a real x is less than 1.",
      differentiable(),
      [](Gradient& g) { g.to_input(0, g.dy() / g.op("Sinh", {conj(g.out(0))})); }));
  catalog.add(function_with_derivative(
      "Atanh",
      "The number whose hyperbolic tangent is x; NaN where a real x is outside of [-1, 1].",
      [](const Gradient& g, const Value& x) { return inverse(g, 1.0 - g.square(x)); }));
}

}  // namespace

void add_trigonometric_ops(OpCatalog& catalog) {
  add_circular_functions(catalog);
  add_hyperbolic_functions(catalog);
}

}  // namespace troupe
