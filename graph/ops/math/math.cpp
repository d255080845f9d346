#include <algorithm>
#include <utility>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

void add_sums(OpCatalog& catalog) {
  auto add = [&](const char* name, const char* doc, const DTypes& dtypes) {
    catalog.add(binary(name, doc, dtypes, [](Gradient& g) {
      g.to_operand(0, g.dy());
      g.to_operand(1, g.dy());
    }));
  };
  auto added = numeric();
  added.push_back(DType::string);
  add("Add", "x + y, element-wise, with broadcasting; of strings, y after x.", added);
  add("AddV2", "x + y, element-wise, with broadcasting.", numeric());
  catalog.add(binary("Sub", "x - y, element-wise, with broadcasting.", numeric(), [](Gradient& g) {
    g.to_operand(0, g.dy());
    if (g.wants(1)) g.to_input(1, -g.sum_to_shape_of(1, g.dy()));
  }));
  auto summed = numeric();
  summed.push_back(DType::variant);  // lists of tensors
  catalog.add(Op("AddN")
      .doc("The sum of all inputs, which have one shape.")
      .inputs("inputs", "T", "N")
      .output("sum", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", std::move(summed))
      .infer_shape([](ShapeInference& s) {
        auto sum = s.input(0);
        for (int i = 1; i < s.input_count(); ++i) {
          auto merged = sum.merge(s.input(i));
          if (!merged) return merged.status();
          sum = *merged;
        }
        s.set(0, sum);
        return Status();
      })
      .gradient([](Gradient& g) {
        for (int i = 0; i < g.input_count(); ++i) g.to_input(i, g.dy());
      }));
}

void divide_gradient(Gradient& g) {
  auto quotient = g.dy() / conj(g.in(1));
  g.to_operand(0, quotient);
  if (g.wants(1)) g.to_input(1, -g.sum_to_shape_of(1, quotient * conj(g.out(0))));
}

void power_gradient(Gradient& g) {
  auto x = conj(g.in(0)), y = conj(g.in(1));
  if (g.wants(0)) g.to_operand(0, g.dy() * y * g.op("Pow", {x, y - 1.0}));
  if (!g.wants(1)) return;
  // Where x^y has no derivative in y, which takes log(x), TensorFlow says 0: log(1).
  auto is_real = std::ranges::count(real(), x.dtype()) > 0;
  auto has_log = g.op(is_real ? "Greater" : "NotEqual", {x, g.zeros_like(x)});
  auto log = g.log(g.op("Select", {has_log, x, g.ones_like(x)}));
  g.to_operand(1, g.dy() * conj(g.out(0)) * log);
}

void add_products(OpCatalog& catalog) {
  catalog.add(binary("Mul", "x * y, element-wise, with broadcasting.", numeric(), [](Gradient& g) {
    if (g.wants(0)) g.to_operand(0, g.dy() * conj(g.in(1)));
    if (g.wants(1)) g.to_operand(1, g.dy() * conj(g.in(0)));
  }));
  catalog.add(binary(
      "Div", "x / y, element-wise, with broadcasting; integers are rounded towards 0.", numeric(),
      divide_gradient));
  catalog.add(binary(
      "RealDiv", "x / y, element-wise, with broadcasting.", numeric(), divide_gradient));
  catalog.add(binary(
      "Pow", "x to the power of y, element-wise, with broadcasting.", numeric(), power_gradient));
  catalog.add(binary(
      "SquaredDifference",
      "(x - y)^2, element-wise, with broadcasting; |x - y|^2 of complex numbers.", numeric(),
      [](Gradient& g) {
        auto dx = (g.dy() + conj(g.dy())) * (g.in(0) - g.in(1));
        g.to_operand(0, dx);
        if (g.wants(1)) g.to_input(1, -g.sum_to_shape_of(1, dx));
      }));
}

/// Passes dy on to the operand that was chosen: x, where `chooses_x` says so, or y.
Op::MakeGradient choice_gradient(const char* chooses_x) {
  return [chooses_x](Gradient& g) {
    auto chosen = g.op(chooses_x, {g.in(0), g.in(1)});
    auto zeros = g.zeros_like(g.dy());
    if (g.wants(0)) g.to_operand(0, g.op("Select", {chosen, g.dy(), zeros}));
    if (g.wants(1)) g.to_operand(1, g.op("Select", {chosen, zeros, g.dy()}));
  };
}

void add_signs(OpCatalog& catalog) {
  catalog.add(unary("Neg", "-x, element-wise.", numeric(), [](Gradient& g) {
    g.to_input(0, -g.dy());
  }));
  catalog.add(unary("Abs", "The magnitude of x, element-wise.", real(), [](Gradient& g) {
    g.to_input(0, g.dy() * g.op("Sign", {g.in(0)}));
  }));
  catalog.add(unary(
      "Sign", "-1, 0 or 1 as x is less than, equal to or greater than 0; x / |x| where complex.",
      numeric(), [](Gradient& g) { g.to_input(0, g.zeros_like(g.in(0))); }));
  catalog.add(Op("Conj")
      .doc("The complex conjugate, element-wise.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", complex(), DType::complex64)
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) { g.to_input(0, conj(g.dy())); }));
  catalog.add(binary(
      "Maximum", "The greater of x and y, element-wise, with broadcasting.", real(),
      choice_gradient("GreaterEqual")));
  catalog.add(binary(
      "Minimum", "The lesser of x and y, element-wise, with broadcasting.", real(),
      choice_gradient("LessEqual")));
}

void add_powers(OpCatalog& catalog) {
  catalog.add(unary("Square", "x * x, element-wise.", numeric(), [](Gradient& g) {
    g.to_input(0, 2.0 * conj(g.in(0)) * g.dy());
  }));
  catalog.add(unary("Reciprocal", "1 / x, element-wise.", numeric(), [](Gradient& g) {
    g.to_input(0, g.op("ReciprocalGrad", {g.out(0), g.dy()}));
  }));
  catalog.add(unary("Sqrt", "The square root of x.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.op("SqrtGrad", {g.out(0), g.dy()}));
  }));
  catalog.add(unary_gradient(
      "SqrtGrad", "dy / 2 / conj(y), for y = sqrt(x); 0 where dy is.", [](Gradient& g) {
        auto quotient = g.dy() / g.in(0);
        if (g.wants(0)) g.to_input(0, -(conj(quotient) * g.out(0)));
        if (g.wants(1)) g.to_input(1, 0.5 * quotient);
      }));
  catalog.add(unary("Rsqrt", "1 / sqrt(x), element-wise.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.op("RsqrtGrad", {g.out(0), g.dy()}));
  }));
  catalog.add(unary_gradient(
      "RsqrtGrad", "-dy / 2 * conj(y)^3, for y = rsqrt(x); 0 where dy is.", [](Gradient& g) {
        auto dy = conj(g.dy());
        if (g.wants(0)) g.to_input(0, -1.5 * dy * g.in(1) * g.square(conj(g.in(0))));
        if (g.wants(1)) g.to_input(1, g.op("RsqrtGrad", {conj(g.in(0)), g.dy()}));
      }));
}

void add_exponentials(OpCatalog& catalog) {
  catalog.add(unary("Exp", "e to the power of x, element-wise.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.dy() * conj(g.out(0)));
  }));
  catalog.add(unary("Log", "The natural logarithm of x.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.dy() / conj(g.in(0)));
  }));
  catalog.add(unary("Tanh", "The hyperbolic tangent of x.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.op("TanhGrad", {conj(g.out(0)), g.dy()}));
  }));
  catalog.add(unary_gradient("TanhGrad", "dy * (1 - y^2), for y = tanh(x).", [](Gradient& g) {
    auto y = conj(g.in(0));
    if (g.wants(0)) g.to_input(0, -2.0 * g.dy() * conj(g.in(1)) * y);
    if (g.wants(1)) g.to_input(1, g.op("TanhGrad", {y, g.dy()}));
  }));
  catalog.add(unary("Sigmoid", "1 / (1 + e^-x), element-wise.", differentiable(), [](Gradient& g) {
    g.to_input(0, g.op("SigmoidGrad", {conj(g.out(0)), g.dy()}));
  }));
  catalog.add(unary_gradient(
      "SigmoidGrad", "dy * y * (1 - y), for y = sigmoid(x).", [](Gradient& g) {
        auto y = conj(g.in(0));
        if (g.wants(0)) g.to_input(0, g.dy() * conj(g.in(1)) * (1.0 - 2.0 * y));
        if (g.wants(1)) g.to_input(1, g.op("SigmoidGrad", {y, g.dy()}));
      }));
}

void add_cast(OpCatalog& catalog) {
  catalog.add(Op("Cast")
      .doc("The elements of x as another dtype. Fractions are cut off on the way to integers; "
           "`Truncate` cuts off bits on the way to fewer, instead of rounding.")
      .input("x", "SrcT")
      .output("y", "DstT")
      .attr("SrcT", all_plain())
      .attr("DstT", all_plain())
      .attr("Truncate", false)
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) {
        if (g.wants(0)) g.to_input(0, g.cast(g.dy(), g.in(0).dtype()));
      }));
}

Status infer_matmul(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
  auto a = s.input(0).has_rank() ? s.input(0) : Shape::of_rank(2);
  auto b = s.input(1).has_rank() ? s.input(1) : Shape::of_rank(2);
  int a_inner = s.attr<bool>("transpose_a") ? 0 : 1, b_inner = s.attr<bool>("transpose_b") ? 1 : 0;
  if (!Shape{a[a_inner]}.is_compatible_with({b[b_inner]}))
    return invalid_argument(
        "the inner sizes must agree, but are " + std::to_string(a[a_inner]) + " of a" +
        a.to_string() + " and " + std::to_string(b[b_inner]) + " of b" + b.to_string());
  s.set(0, {a[1 - a_inner], b[1 - b_inner]});
  return {};
}

void matmul_gradient(Gradient& g) {
  bool transpose_a = g.node().attr<bool>("transpose_a");
  bool transpose_b = g.node().attr<bool>("transpose_b");
  auto dy = g.dy();
  if (g.wants(0)) {
    auto b = conj(g.in(1));
    auto da = transpose_a ? g.matmul(b, dy, {transpose_b, true})
                          : g.matmul(dy, b, {false, !transpose_b});
    g.to_input(0, da);
  }
  if (g.wants(1)) {
    auto a = conj(g.in(0));
    auto db = transpose_b ? g.matmul(dy, a, {true, transpose_a})
                          : g.matmul(a, dy, {!transpose_a, false});
    g.to_input(1, db);
  }
}

void add_matmul(OpCatalog& catalog) {
  catalog.add(Op("MatMul")
      .doc("The product of two matrices, each transposed first if its attribute says so.")
      .input("a", "T")
      .input("b", "T")
      .output("product", "T")
      .attr("transpose_a", false)
      .attr("transpose_b", false)
      .attr("T", numeric())
      .infer_shape(infer_matmul)
      .gradient(matmul_gradient));
}

}  // namespace

void add_math_ops(OpCatalog& catalog) {
  add_sums(catalog);
  add_products(catalog);
  add_signs(catalog);
  add_powers(catalog);
  add_exponentials(catalog);
  add_cast(catalog);
  add_matmul(catalog);
}

}  // namespace troupe
