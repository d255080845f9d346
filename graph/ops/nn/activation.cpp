#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Op activation(const char* name, const char* doc, const DTypes& dtypes, Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("features", "T")
      .output("activations", "T")
      .attr("T", dtypes)
      .infer_shape(shapes::same_as_input())
      .gradient(std::move(gradient));
}

/// The form of a derivative: `point` is "features" or "outputs", of the gradients' shape.
Op activation_gradient(
    const char* name, const char* doc, const char* point, const DTypes& dtypes,
    Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input("gradients", "T")
      .input(point, "T")
      .output("backprops", "T")
      .attr("T", dtypes)
      .infer_shape([](ShapeInference& s) {
        auto shape = s.input(0).merge(s.input(1));
        if (shape) s.set(0, *shape);
        return shape.status();
      })
      .gradient(std::move(gradient));
}

/// The gradient of an activation, for a derivative op that takes its result, or its argument.
Op::MakeGradient by_result(const char* derivative) {
  return [derivative](Gradient& g) { g.to_input(0, g.op(derivative, {g.dy(), g.out(0)})); };
}
Op::MakeGradient by_argument(const char* derivative) {
  return [derivative](Gradient& g) { g.to_input(0, g.op(derivative, {g.dy(), g.in(0)})); };
}

void add_relu6(OpCatalog& catalog) {
  catalog.add(activation(
      "Relu6", "min(max(features, 0), 6), element-wise.", real(), by_result("Relu6Grad")));
  catalog.add(activation_gradient(
      "Relu6Grad",
      "`gradients` where `features` (or the activations made from them) are between 0 and 6, else "
      "0.",
      "features", real(), [](Gradient& g) {
        g.to_input(0, g.op("Relu6Grad", {g.dy(), g.in(1)}));
        if (g.wants(1)) g.to_input(1, g.zeros_like(g.in(1)));
      }));
}

Value leaky_relu_gradient(Gradient& g, const Value& features) {
  auto alpha = g.node().attr<float>("alpha");
  return g.op("LeakyReluGrad", {g.dy(), features}, {{"alpha", alpha}});
}

void add_leaky_relu(OpCatalog& catalog) {
  catalog.add(Op("LeakyRelu")
      .doc("`features` where they are positive, else `alpha` times them.")
      .input("features", "T")
      .output("activations", "T")
      .attr("alpha", 0.2f)
      .attr("T", floating(), DType::float32)
      .infer_shape(shapes::same_as_input())
      .gradient([](Gradient& g) { g.to_input(0, leaky_relu_gradient(g, g.in(0))); }));
  catalog.add(Op("LeakyReluGrad")
      .doc("`gradients` where `features` are positive, else `alpha` times them.")
      .input("gradients", "T")
      .input("features", "T")
      .output("backprops", "T")
      .attr("alpha", 0.2f)
      .attr("T", floating(), DType::float32)
      .infer_shape([](ShapeInference& s) {
        auto shape = s.input(0).merge(s.input(1));
        if (shape) s.set(0, *shape);
        return shape.status();
      })
      .gradient([](Gradient& g) {
        g.to_input(0, leaky_relu_gradient(g, g.in(1)));
        if (g.wants(1)) g.to_input(1, g.zeros_like(g.in(1)));
      }));
}

/// Of EluGrad and SeluGrad: below 0 their factor is the output plus a constant.
Op::MakeGradient exponential_unit_gradient(const char* derivative) {
  return [derivative](Gradient& g) {
    const auto& outputs = g.in(1);
    g.to_input(0, g.op(derivative, {g.dy(), outputs}));
    if (!g.wants(1)) return;
    auto zeros = g.zeros_like(outputs);
    auto is_negative = g.op("Less", {outputs, zeros});
    g.to_input(1, g.op("Select", {is_negative, g.dy() * g.in(0), zeros}));
  };
}

void add_exponential_units(OpCatalog& catalog) {
  catalog.add(activation(
      "Elu", "exp(features) - 1 where they are negative, else `features`.", floating(),
      by_result("EluGrad")));
  catalog.add(activation_gradient(
      "EluGrad", "gradients * (outputs + 1) where the outputs of Elu are negative, else gradients.",
      "outputs", floating(), exponential_unit_gradient("EluGrad")));
  catalog.add(activation(
      "Selu",
      "1.0507 * features, or where they are negative 1.0507 * 1.6733 * (exp(features) - 1): which "
      "keeps mean 0 and variance 1.",
      floating(), by_result("SeluGrad")));
  catalog.add(activation_gradient(
      "SeluGrad", "The gradients with respect to the features of Selu, from its outputs.",
      "outputs", floating(), exponential_unit_gradient("SeluGrad")));
}

void softplus_grad_gradient(Gradient& g) {
  const auto& x = g.in(1);
  g.to_input(0, g.op("SoftplusGrad", {g.dy(), x}));
  // Of two factors, as 1 - sigmoid(x) would lose all digits of a large x.
  if (g.wants(1)) g.to_input(1, g.dy() * g.in(0) * g.sigmoid(x) * g.sigmoid(-x));
}

void add_soft_functions(OpCatalog& catalog) {
  catalog.add(activation(
      "Softplus", "log(exp(features) + 1), element-wise.", floating(),
      by_argument("SoftplusGrad")));
  catalog.add(activation_gradient(
      "SoftplusGrad", "gradients / (exp(-features) + 1).", "features", floating(),
      softplus_grad_gradient));
  catalog.add(activation(
      "Softsign", "features / (abs(features) + 1), element-wise.", floating(),
      by_argument("SoftsignGrad")));
  catalog.add(activation_gradient(
      "SoftsignGrad", "gradients / (abs(features) + 1)^2.", "features", floating(), {}));
}

}  // namespace

void add_activation_ops(OpCatalog& catalog) {
  add_relu6(catalog);
  add_leaky_relu(catalog);
  add_exponential_units(catalog);
  add_soft_functions(catalog);
}

}  // namespace troupe
