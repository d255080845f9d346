#include <numbers>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

Value reciprocal(const Gradient& g, const Value& x) { return g.op("Reciprocal", {x}); }
Value lgamma(const Gradient& g, const Value& x) { return g.op("Lgamma", {x}); }
Value xlogy(const Gradient& g, const Value& x, const Value& y) { return g.op("Xlogy", {x, y}); }

/// dy times the derivative of Erf, or of Erfc where `sign` is -1.
Op::MakeGradient erf_gradient(double sign) {
  return [factor = sign * 2 * std::numbers::inv_sqrtpi](Gradient& g) {
    g.to_input(0, factor * g.dy() * g.exp(-g.square(g.in(0))));
  };
}

/// The derivative of I1e is I0e - I1e (sign(x) + 1 / x), which near 0, where its limit is 1/2,
/// would divide by nothing.
void bessel_i1e_gradient(Gradient& g) {
  const auto& x = g.in(0);
  auto is_near = g.op("Less", {g.op("Abs", {x}), g.like(x, 1e-6)});
  auto ones = g.ones_like(x);
  auto far = g.op("Select", {is_near, ones, x});
  auto slope = g.op("BesselI0e", {far}) -
               g.out(0) * (g.op("Sign", {far}) + reciprocal(g, far));
  g.to_input(0, g.dy() * g.op("Select", {is_near, 0.5 * ones, slope}));
}

void add_bessel_functions(OpCatalog& catalog) {
  catalog.add(unary(
      "BesselI0e", "The modified Bessel function of order 0, times e^-|x|.", floating(),
      [](Gradient& g) {
        auto falling = g.op("Sign", {g.in(0)}) * g.out(0);
        g.to_input(0, g.dy() * (g.op("BesselI1e", {g.in(0)}) - falling));
      }));
  catalog.add(unary(
      "BesselI1e", "The modified Bessel function of order 1, times e^-|x|.", floating(),
      bessel_i1e_gradient));
}

void add_functions_of_one(OpCatalog& catalog) {
  catalog.add(unary(
      "Expm1", "e^x - 1, without the rounding errors of the difference for small x.",
      differentiable(), [](Gradient& g) { g.to_input(0, g.dy() * g.exp(conj(g.in(0)))); }));
  catalog.add(unary(
      "Log1p", "log(1 + x), without the rounding errors of the sum for small x.",
      differentiable(),
      [](Gradient& g) { g.to_input(0, g.dy() * reciprocal(g, 1.0 + conj(g.in(0)))); }));
  catalog.add(unary(
      "Erf", "The Gauss error function of x, element-wise.", floating(), erf_gradient(1)));
  catalog.add(unary("Erfc", "1 - Erf(x), element-wise.", floating(), erf_gradient(-1)));
  catalog.add(unary(
      "Lgamma", "The logarithm of the magnitude of the gamma function of x.", floating(),
      [](Gradient& g) { g.to_input(0, g.dy() * g.op("Digamma", {g.in(0)})); }));
  catalog.add(unary(
      "Digamma", "The derivative of Lgamma at x; NaN at 0 and at negative integers.", floating(),
      [](Gradient& g) {
        g.to_input(0, g.dy() * g.op("Polygamma", {g.ones_like(g.in(0)), g.in(0)}));
      }));
}

/// The form of a function of a and x, broadcast together.
Op function_of_a_and_x(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("a", "T")
      .input("x", "T")
      .output("z", "T")
      .attr("T", floating())
      .infer_shape(shapes::broadcast());
}

/// The gradient of Igamma, or where `sign` is -1 of Igammac.
Op::MakeGradient igamma_gradient(double sign) {
  return [sign](Gradient& g) {
    const auto &a = g.in(0), &x = g.in(1);
    auto dy = sign < 0 ? -g.dy() : g.dy();
    if (g.wants(0)) g.to_operand(0, dy * g.op("IgammaGradA", {a, x}));
    if (g.wants(1)) g.to_operand(1, dy * g.exp(xlogy(g, a - 1.0, x) - x - lgamma(g, a)));
  };
}

/// Scalars are broadcast to the shape that all others have.
Status infer_betainc(ShapeInference& s) {
  auto known = Shape::unknown_rank();
  int scalars = 0;
  for (const auto& input : s.inputs()) {
    if (input.is_scalar()) {
      ++scalars;
      continue;
    }
    auto merged = known.merge(input);
    if (!merged) return merged.status();
    known = *merged;
  }
  s.set(0, scalars == s.input_count() ? Shape() : known);
  return {};
}

/// As TensorFlow's: with respect to x alone.
void betainc_gradient(Gradient& g) {
  if (!g.wants(2)) return;
  const auto &a = g.in(0), &b = g.in(1), &x = g.in(2);
  auto log_beta = lgamma(g, a) + lgamma(g, b) - lgamma(g, a + b);
  auto log_density = xlogy(g, b - 1.0, 1.0 - x) + xlogy(g, a - 1.0, x) - log_beta;
  g.to_operand(2, g.dy() * g.exp(log_density));
}

void add_gamma_and_beta(OpCatalog& catalog) {
  catalog.add(
      function_of_a_and_x(
          "Igamma", "The lower regularized incomplete gamma function P(a, x); NaN unless a > 0 "
                    "and x >= 0.")
          .gradient(igamma_gradient(1)));
  catalog.add(
      function_of_a_and_x(
          "Igammac", "The upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).")
          .gradient(igamma_gradient(-1)));
  catalog.add(function_of_a_and_x("IgammaGradA", "The derivative of Igamma with respect to a."));
  catalog.add(Op("Betainc")
      .doc("The regularized incomplete beta integral I_x(a, b), for operands of one shape, or "
           "scalars; NaN unless a and b are positive and x is in [0, 1].")
      .input("a", "T")
      .input("b", "T")
      .input("x", "T")
      .output("z", "T")
      .attr("T", floating())
      .infer_shape(infer_betainc)
      .gradient(betainc_gradient));
  catalog.add(Op("Zeta")
      .doc("The Hurwitz zeta function: the sum of (q + k)^-x over all k >= 0. The gradient is with "
           "respect to q alone.")
      .input("x", "T")
      .input("q", "T")
      .output("z", "T")
      .attr("T", floating())
      .infer_shape(shapes::broadcast())
      .gradient([](Gradient& g) {
        if (!g.wants(1)) return;
        const auto& x = g.in(0);
        g.to_operand(1, g.dy() * -x * g.op("Zeta", {x + 1.0, g.in(1)}));
      }));
  catalog.add(
      function_of_a_and_x(
          "Polygamma", "The derivative of order a (a whole number, or the result is NaN) of "
                       "Digamma at x. The gradient is with respect to x alone.")
          .gradient([](Gradient& g) {
            if (!g.wants(1)) return;
            g.to_operand(1, g.dy() * g.op("Polygamma", {g.in(0) + 1.0, g.in(1)}));
          }));
}

/// 1 where x is not 0.
Value not_zero(const Gradient& g, const Value& x) {
  return g.cast(g.op("NotEqual", {x, g.like(x, 0)}), x.dtype());
}

void add_products_with_zero(OpCatalog& catalog) {
  catalog.add(binary(
      "Xdivy", "x / y, but 0 where x is 0, with broadcasting.", differentiable(),
      [](Gradient& g) {
        auto x = conj(g.in(0)), y = conj(g.in(1));
        if (g.wants(0)) g.to_operand(0, g.dy() * g.op("Xdivy", {not_zero(g, x), y}));
        if (g.wants(1)) g.to_operand(1, g.dy() * g.op("Xdivy", {-x, g.square(y)}));
      }));
  catalog.add(binary(
      "Xlogy", "x * log(y), but 0 where x is 0, with broadcasting.", differentiable(),
      [](Gradient& g) {
        auto x = conj(g.in(0)), y = conj(g.in(1));
        if (g.wants(0)) g.to_operand(0, g.dy() * xlogy(g, not_zero(g, x), y));
        if (g.wants(1)) g.to_operand(1, g.dy() * g.op("Xdivy", {x, y}));
      }));
}

}  // namespace

void add_special_ops(OpCatalog& catalog) {
  add_functions_of_one(catalog);
  add_bessel_functions(catalog);
  add_gamma_and_beta(catalog);
  add_products_with_zero(catalog);
}

}  // namespace troupe
