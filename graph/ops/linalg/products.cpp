#include <algorithm>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/einsum.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

Status infer_batch_matmul(ShapeInference& s, bool broadcasts) {
  auto x_batches = linalg::batches_of(s, 0), y_batches = linalg::batches_of(s, 1);
  for (const auto* batches : {&x_batches, &y_batches})
    if (!*batches) return batches->status();
  auto joint = broadcasts ? broadcast(*x_batches, *y_batches) : x_batches->merge(*y_batches);
  if (!joint)
    return invalid_argument(
        "the batches of " + s.input(0).to_string() + " and " + s.input(1).to_string() +
        " do not agree");
  auto adj_x = s.attr<bool>("adj_x"), adj_y = s.attr<bool>("adj_y");
  auto x_inner = linalg::size_from_end(s.input(0), adj_x ? 2 : 1);
  auto y_inner = linalg::size_from_end(s.input(1), adj_y ? 1 : 2);
  if (!Shape{x_inner}.is_compatible_with({y_inner}))
    return invalid_argument(
        "the inner sizes of " + s.input(0).to_string() + (adj_x ? " (adjoint)" : "") + " and " +
        s.input(1).to_string() + (adj_y ? " (adjoint)" : "") + " differ");
  auto rows = linalg::size_from_end(s.input(0), adj_x ? 1 : 2);
  auto columns = linalg::size_from_end(s.input(1), adj_y ? 2 : 1);
  auto shape = linalg::append(*joint, {rows, columns});
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Sums a gradient down to the shape of that input, whose batches were broadcast.
Value sum_batches(const Gradient& g, int input, const Value& gradient) {
  const auto& x = g.in(input);
  if (!gradient.is_valid() || !x.is_valid()) return {};
  if (x.shape().is_known() && x.shape() == gradient.shape()) return gradient;
  auto shape = g.shape_of(x);
  auto axes = g.op("BroadcastGradientArgs", {shape, g.shape_of(gradient)});
  return g.reshape(g.op("Sum", {gradient, axes}), shape);
}

void batch_matmul_gradient(Gradient& g, const char* op, bool broadcasts) {
  auto adj_x = g.node().attr<bool>("adj_x"), adj_y = g.node().attr<bool>("adj_y");
  auto multiply = [&](const Value& x, const Value& y, linalg::Adjoint adjoint) {
    return g.op(op, {x, y}, {{"adj_x", adjoint.x}, {"adj_y", adjoint.y}});
  };
  auto dy = g.dy();
  if (g.wants(0)) {
    auto dx = adj_x ? multiply(g.in(1), dy, {adj_y, true}) : multiply(dy, g.in(1), {false, !adj_y});
    g.to_input(0, broadcasts ? sum_batches(g, 0, dx) : dx);
  }
  if (g.wants(1)) {
    auto dx = adj_y ? multiply(dy, g.in(0), {true, adj_x}) : multiply(g.in(0), dy, {!adj_x, false});
    g.to_input(1, broadcasts ? sum_batches(g, 1, dx) : dx);
  }
}

void add_batch_matmul(OpCatalog& catalog, const char* name, const char* doc, bool broadcasts) {
  catalog.add(Op(name)
      .doc(doc)
      .input("x", "T")
      .input("y", "T")
      .output("output", "T")
      .attr("T", numeric())
      .attr("adj_x", false)
      .attr("adj_y", false)
      .infer_shape([=](ShapeInference& s) { return infer_batch_matmul(s, broadcasts); })
      .gradient([=](Gradient& g) { batch_matmul_gradient(g, name, broadcasts); }));
}

Status infer_einsum(ShapeInference& s) {
  auto equation = EinsumEquation::parse(s.attr<std::string>("equation"), s.input_count());
  if (!equation) return equation.status();
  auto sizes = EinsumSizes::of(*equation, s.inputs());
  if (!sizes) return sizes.status();
  auto shape = sizes->result(*equation);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Value einsum(const Builder& b, const Values& operands, const EinsumEquation& equation) {
  return b.op("Einsum", operands, {{"equation", equation.to_string()}});
}

/// Sums what an operand's ellipsis was broadcast to down to what it was.
Value sum_ellipsis(const Gradient& g, const Value& gradient, int input, const std::string& labels) {
  const auto& x = g.in(input);
  if (!gradient.is_valid()) return {};
  if (x.shape().is_known() && x.shape() == gradient.shape()) return gradient;
  auto place = labels.find(EinsumEquation::ellipsis);
  auto named = static_cast<int32_t>(labels.size()) - (place != std::string::npos);
  auto before = static_cast<int32_t>(place == std::string::npos ? labels.size() : place);
  auto ellipsis_of = [&](const Value& value) {
    auto count = g.op("Rank", {value}) - g.constant<int32_t>(named);
    return g.op("Slice", {g.shape_of(value), g.ints({before}), g.op("Pack", {count})});
  };
  auto axes = g.op("BroadcastGradientArgs", {ellipsis_of(x), ellipsis_of(gradient)});
  auto sum = g.op("Sum", {gradient, axes + g.constant<int32_t>(before)});
  return g.reshape(sum, g.shape_of(x));
}

/// dy times the other operand, summed over all that this operand lacks, is the gradient but for
/// the labels that this operand alone has: along those it is repeated.
Value einsum_gradient(const Gradient& g, const Value& dy, const EinsumEquation& equation, int i) {
  const auto& labels = equation.operands[static_cast<size_t>(i)];
  auto is_broadcast = equation.result.find(EinsumEquation::ellipsis) != std::string::npos;
  auto whole = labels;
  if (is_broadcast && labels.find(EinsumEquation::ellipsis) == std::string::npos)
    whole += EinsumEquation::ellipsis;
  EinsumEquation backward{.operands = {equation.result}, .result = ""};
  Values operands = {dy};
  if (equation.operands.size() == 2) {
    backward.operands.push_back(equation.operands[static_cast<size_t>(1 - i)]);
    operands.push_back(conj(g.in(1 - i)));
  }
  for (auto label : whole)
    if (std::ranges::any_of(backward.operands, [label](const auto& given) {
          return given.find(label) != std::string::npos;
        }))
      backward.result += label;
  auto gradient = einsum(g, operands, backward);
  if (backward.result != whole)
    gradient = einsum(
        g, {gradient, g.ones_like(g.in(i))},
        {.operands = {backward.result, labels}, .result = whole});
  return is_broadcast ? sum_ellipsis(g, gradient, i, labels) : gradient;
}

void add_einsum(OpCatalog& catalog) {
  catalog.add(Op("Einsum")
      .doc("The sum of products of one or two tensors by an equation such as \"...ij,jk->...ik\": "
           "labels that the result lacks are summed over, repeated ones take diagonals, and axes "
           "of an ellipsis are broadcast together.")
      .inputs("inputs", "T", "N")
      .output("output", "T")
      .attr("equation", AttrType::string)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", numeric())
      .infer_shape(infer_einsum)
      .gradient([](Gradient& g) {
        auto text = g.node().attr<std::string>("equation");
        auto equation = EinsumEquation::parse(text, g.input_count());
        if (!equation) return g.fail(equation.status());
        for (int i = 0; i < g.input_count(); ++i)
          if (g.wants(i)) g.to_input(i, einsum_gradient(g, g.dy(), *equation, i));
      }));
}

}  // namespace

void add_products_ops(OpCatalog& catalog) {
  add_batch_matmul(
      catalog, "BatchMatMul",
      "The products of matrices, the last two axes of x and y, for each of one batch; an operand "
      "is taken adjoint first if its attribute says so.",
      /*broadcasts=*/false);
  add_batch_matmul(
      catalog, "BatchMatMulV2",
      "As BatchMatMul, with the other axes of x and y broadcast together.", /*broadcasts=*/true);
  add_einsum(catalog);
}

}  // namespace troupe
