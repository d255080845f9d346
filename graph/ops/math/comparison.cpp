#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Compares element-wise, with broadcasting.
Op comparison(const char* name, const char* doc, const DTypes& dtypes) {
  return Op(name)
      .doc(doc)
      .input("x", "T")
      .input("y", "T")
      .output("z", DType::boolean)
      .attr("T", dtypes)
      .infer_shape(shapes::broadcast())
      .gradient(not_differentiable);
}

/// As TensorFlow's: incompatible shapes may be declared to be merely unequal, which one bool says.
Op equality(const char* name, const char* doc) {
  return comparison(name, doc, all_dtypes())
      .attr("incompatible_shape_error", true)
      .infer_shape([](ShapeInference& s) {
        if (s.attr<bool>("incompatible_shape_error")) return shapes::broadcast()(s);
        if (!s.input(0).is_known() || !s.input(1).is_known()) return Status();
        auto shape = broadcast(s.input(0), s.input(1));
        s.set(0, shape ? *shape : Shape());
        return Status();
      });
}

Status infer_select(ShapeInference& s) {
  auto data = s.input(1).merge(s.input(2));
  if (!data) return data.status();
  s.set(0, *data);
  const auto& condition = s.input(0);
  if (!condition.has_rank() || condition.is_scalar() || !data->has_rank()) return {};
  auto is_flag_per_row = condition.rank() == 1 && data->rank() > 0 &&
                         condition.is_compatible_with({(*data)[0]});
  if (is_flag_per_row || condition.is_compatible_with(*data)) return {};
  return invalid_argument(
      "the condition must be a scalar, a flag for each row, or of the shape " + data->to_string() +
      ", but its shape is " + condition.to_string());
}

void add_logic(OpCatalog& catalog) {
  catalog.add(Op("LogicalAnd")
      .doc("True where x and y are, with broadcasting.")
      .input("x", DType::boolean)
      .input("y", DType::boolean)
      .output("z", DType::boolean)
      .infer_shape(shapes::broadcast())
      .gradient(not_differentiable));
  catalog.add(Op("LogicalNot")
      .doc("True where x is false.")
      .input("x", DType::boolean)
      .output("y", DType::boolean)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
}

}  // namespace

void add_comparison_ops(OpCatalog& catalog) {
  catalog.add(equality("Equal", "True where x = y, with broadcasting."));
  catalog.add(equality("NotEqual", "True where x and y differ, with broadcasting."));
  catalog.add(comparison("Less", "True where x < y, with broadcasting.", real()));
  catalog.add(comparison("LessEqual", "True where x <= y, with broadcasting.", real()));
  catalog.add(comparison("Greater", "True where x > y, with broadcasting.", real()));
  catalog.add(comparison("GreaterEqual", "True where x >= y, with broadcasting.", real()));
  add_logic(catalog);
  catalog.add(Op("Select")
      .doc("The elements of `t` where `condition` is true, else of `e`. The condition has their "
           "shape, or a flag for each row of theirs, or one for all.")
      .input("condition", DType::boolean)
      .input("t", "T")
      .input("e", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .infer_shape(infer_select)
      .gradient([](Gradient& g) {
        auto zeros = g.zeros_like(g.dy());
        if (g.wants(1)) g.to_input(1, g.op("Select", {g.in(0), g.dy(), zeros}));
        if (g.wants(2)) g.to_input(2, g.op("Select", {g.in(0), zeros, g.dy()}));
      }));
}

}  // namespace troupe
