#include <algorithm>
#include <string>
#include <vector>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace {

Status infer_select_v2(ShapeInference& s) {
  auto choices = broadcast(s.input(1), s.input(2));
  if (!choices) return choices.status();
  auto whole = broadcast(s.input(0), *choices);
  if (whole) s.set(0, *whole);
  return whole.status();
}

Status infer_clip(ShapeInference& s) {
  auto shape = s.input(0);
  for (int i : {1, 2}) {
    const auto& bound = s.input(i);
    if (!bound.has_rank() || bound.is_scalar()) continue;
    auto merged = shape.merge(bound);
    if (!merged)
      return invalid_argument(
          "bound " + std::to_string(i) + " must be a scalar or of the shape " + shape.to_string() +
          ", but its shape is " + bound.to_string());
    shape = *merged;
  }
  s.set(0, shape);
  return {};
}

/// As TensorFlow's: dy belongs to what decided, to both bounds where they contradict each other.
void clip_gradient(Gradient& g) {
  auto is_low = g.op("Less", {g.in(0), g.in(1)});
  auto is_high = g.op("Greater", {g.in(0), g.in(2)});
  auto zero = g.like(g.dy(), 0);
  auto dy_where = [&](const Value& flags) { return g.op("SelectV2", {flags, g.dy(), zero}); };
  if (g.wants(0)) {
    auto is_clipped = g.op("LogicalOr", {is_low, is_high});
    g.to_operand(0, g.op("SelectV2", {is_clipped, zero, g.dy()}));
  }
  if (g.wants(1)) g.to_operand(1, dy_where(is_low));
  if (g.wants(2)) g.to_operand(2, dy_where(is_high));
}

void add_choices(OpCatalog& catalog) {
  catalog.add(Op("SelectV2")
      .doc("The elements of `t` where `condition` is true, else of `e`, all broadcast together.")
      .input("condition", DType::boolean)
      .input("t", "T")
      .input("e", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .infer_shape(infer_select_v2)
      .gradient([](Gradient& g) {
        auto zero = g.like(g.dy(), 0);
        if (g.wants(1)) g.to_operand(1, g.op("SelectV2", {g.in(0), g.dy(), zero}));
        if (g.wants(2)) g.to_operand(2, g.op("SelectV2", {g.in(0), zero, g.dy()}));
      }));
  catalog.add(Op("ClipByValue")
      .doc("t, but not less than `clip_value_min` and not more than `clip_value_max`, each a "
           "scalar or of the shape of t. Where they contradict each other the minimum counts.")
      .input("t", "T")
      .input("clip_value_min", "T")
      .input("clip_value_max", "T")
      .output("output", "T")
      .attr("T", real())
      .infer_shape(infer_clip)
      .gradient(clip_gradient));
}

Op float_test(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("x", "T")
      .output("y", DType::boolean)
      .attr("T", floating())
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable);
}

Status infer_merged(ShapeInference& s) {
  auto shape = s.input(0).merge(s.input(1));
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_bucketize(ShapeInference& s) {
  s.set(0, s.input(0));
  const auto& boundaries = s.attr<std::vector<float>>("boundaries");
  for (size_t i = 0; i < boundaries.size(); ++i)
    if (!(boundaries[i] >= boundaries[i > 0 ? i - 1 : 0]))
      return invalid_argument(
          "boundaries must be in ascending order, but number " + std::to_string(i) + " is " +
          std::to_string(boundaries[i]));
  return {};
}

void add_tests(OpCatalog& catalog) {
  catalog.add(float_test("IsNan", "True where x is not a number."));
  catalog.add(float_test("IsInf", "True where x is positive or negative infinity."));
  catalog.add(float_test("IsFinite", "True where x is neither infinite nor NaN."));
  catalog.add(Op("ApproximateEqual")
      .doc("True where x and y, of one shape, differ by no more than the tolerance.")
      .input("x", "T")
      .input("y", "T")
      .output("z", DType::boolean)
      .attr("T", real())
      .attr("tolerance", 1e-5f)
      .infer_shape(infer_merged)
      .gradient(not_differentiable));
  catalog.add(Op("Bucketize")
      .doc("For each element, how many of the ascending boundaries are not greater.")
      .input("input", "T")
      .output("output", DType::int32)
      .attr("T", {DType::int32, DType::int64, DType::float32, DType::float64})
      .attr("boundaries", AttrType::reals)
      .infer_shape(infer_bucketize)
      .gradient(not_differentiable));
}

Status infer_cross(ShapeInference& s) {
  auto shape = s.input(0).merge(s.input(1));
  if (!shape) return shape.status();
  s.set(0, *shape);
  if (!shape->has_rank()) return {};
  if (shape->rank() == 0 || !Shape{(*shape)[shape->rank() - 1]}.is_compatible_with({3}))
    return invalid_argument(
        "the last dimension must have size 3, but the shape is " + shape->to_string());
  auto whole = *shape;
  whole.set(whole.rank() - 1, 3);
  s.set(0, whole);
  return {};
}

void add_vectors(OpCatalog& catalog) {
  catalog.add(Op("NextAfter")
      .doc("The next number of the dtype after x1 in the direction of x2, with broadcasting.")
      .input("x1", "T")
      .input("x2", "T")
      .output("output", "T")
      .attr("T", {DType::float64, DType::float32}, DType::float32)
      .infer_shape(shapes::broadcast())
      .gradient([](Gradient& g) {
        g.to_operand(0, g.dy());
        if (g.wants(1)) g.to_input(1, g.zeros_like(g.in(1)));
      }));
  catalog.add(Op("Cross")
      .doc("The cross products of the vectors of size 3 along the last dimension.")
      .input("a", "T")
      .input("b", "T")
      .output("product", "T")
      .attr("T", real())
      .infer_shape(infer_cross)
      .gradient([](Gradient& g) {
        if (g.wants(0)) g.to_input(0, g.op("Cross", {g.in(1), g.dy()}));
        if (g.wants(1)) g.to_input(1, g.op("Cross", {g.dy(), g.in(0)}));
      }));
}

/// Elements of fewer bytes get a dimension for those that make up one of the input; elements of
/// more bytes are made of the last dimension.
Status infer_bitcast(ShapeInference& s) {
  const auto& x = s.input(0);
  auto from = static_cast<int64_t>(size_of(s.attr<DType>("T")));
  auto to = static_cast<int64_t>(size_of(s.attr<DType>("type")));
  if (from == to) s.set(0, x);
  if (from == to || !x.has_rank()) return {};
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  if (from > to) {
    sizes.push_back(from / to);
  } else {
    if (sizes.empty() || !Shape{sizes.back()}.is_compatible_with({to / from}))
      return invalid_argument(
          "elements of " + std::to_string(to) + " bytes need a last dimension of size " +
          std::to_string(to / from) + ", but the shape is " + x.to_string());
    sizes.pop_back();
  }
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_accumulate(ShapeInference& s) {
  auto sum = s.attr<Shape>("shape");
  for (const auto& input : s.inputs()) {
    auto merged = sum.merge(input);
    if (!merged) return merged.status();
    sum = *merged;
  }
  s.set(0, sum);
  return {};
}

}  // namespace

void add_selection_ops(OpCatalog& catalog) {
  add_choices(catalog);
  add_tests(catalog);
  add_vectors(catalog);
  catalog.add(Op("Bitcast")
      .doc("The input's bytes as elements of another dtype. Where those are smaller, a last "
           "dimension is added for them; where they are larger, the last dimension makes up one.")
      .input("input", "T")
      .output("output", "type")
      .attr("T", numeric())
      .attr("type", numeric())
      .infer_shape(infer_bitcast));
  catalog.add(Op("AccumulateNV2")
      .doc("The sum of all inputs, which have the shape that the attribute `shape` says.")
      .inputs("inputs", "T", "N")
      .output("sum", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", numeric())
      .attr("shape", AttrType::shape)
      .infer_shape(infer_accumulate)
      .gradient([](Gradient& g) {
        for (int i = 0; i < g.input_count(); ++i) g.to_input(i, g.dy());
      }));
}

}  // namespace troupe
