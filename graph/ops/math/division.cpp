#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

void add_quotients(OpCatalog& catalog) {
  catalog.add(binary(
      "FloorDiv", "x / y rounded down, with broadcasting.", real(), not_differentiable));
  catalog.add(binary(
      "TruncateDiv", "x / y rounded towards 0, with broadcasting.", real(), not_differentiable));
  catalog.add(binary(
      "DivNoNan", "x / y, but 0 where y is 0, with broadcasting.", differentiable(),
      [](Gradient& g) {
        auto x = conj(g.in(0)), y = conj(g.in(1));
        auto quotient = [&](const Value& a, const Value& b) { return g.op("DivNoNan", {a, b}); };
        if (g.wants(0)) g.to_operand(0, quotient(g.dy(), y));
        if (g.wants(1)) g.to_operand(1, g.dy() * quotient(quotient(-x, y), y));
      }));
  catalog.add(binary(
      "MulNoNan", "x * y, but 0 where y is 0 even if x is infinite or NaN, with broadcasting.",
      differentiable(), [](Gradient& g) {
        if (g.wants(0)) g.to_operand(0, g.op("MulNoNan", {g.dy(), conj(g.in(1))}));
        if (g.wants(1)) g.to_operand(1, g.op("MulNoNan", {conj(g.in(0)), g.dy()}));
      }));
}

void add_remainders(OpCatalog& catalog) {
  catalog.add(binary(
      "FloorMod", "x - FloorDiv(x, y) * y, which has the sign of y, with broadcasting.", real(),
      [](Gradient& g) {
        g.to_operand(0, g.dy());
        if (g.wants(1)) g.to_operand(1, g.dy() * -g.op("FloorDiv", {g.in(0), g.in(1)}));
      }));
  // TensorFlow has no gradient of these.
  for (auto name : {"Mod", "TruncateMod"})
    catalog.add(binary(
        name, "x - TruncateDiv(x, y) * y, which has the sign of x, with broadcasting.", real(),
        nullptr));
}

void add_inverses(OpCatalog& catalog) {
  catalog.add(unary("Inv", "1 / x, element-wise.", numeric(), [](Gradient& g) {
    g.to_input(0, g.op("InvGrad", {g.out(0), g.dy()}));
  }));
  for (auto name : {"InvGrad", "ReciprocalGrad"})
    catalog.add(unary_gradient(
        name, "-dy * conj(y)^2, for y = 1 / x; 0 where dy is.", [](Gradient& g) {
          auto y = conj(g.in(0));
          if (g.wants(0)) g.to_input(0, -2.0 * conj(g.dy()) * g.in(1) * y);
          if (g.wants(1)) g.to_input(1, g.op("ReciprocalGrad", {y, g.dy()}));
        }));
}

}  // namespace

void add_division_ops(OpCatalog& catalog) {
  add_quotients(catalog);
  add_remainders(catalog);
  add_inverses(catalog);
}

}  // namespace troupe
