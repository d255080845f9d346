#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"
#include "troupe/graph/ops/sparse/sparse.hpp"

namespace troupe {
namespace {

/// The elements of `dense` at the places of a sparse tensor of that shape.
Value gather_entries(
    Gradient& g, const Value& dense, const Value& indices, const Value& sparse_shape) {
  auto all = g.constant(Tensor::of<int64_t>({1}, {-1}));
  auto flat = g.op(
      "SparseReshape",
      {g.cast(indices, DType::int64), g.cast(sparse_shape, DType::int64), all});
  auto places = g.reshape(flat, g.ints({-1}));
  return g.op("GatherV2", {g.reshape(dense, g.ints({-1})), places, g.constant<int32_t>(0)});
}

Status infer_to_dense(ShapeInference& s) {
  const auto& indices = s.input(0);
  if (indices.has_rank() && indices.rank() > 2)
    return invalid_argument(
        "'sparse_indices' must have at most rank 2, but their shape is " + indices.to_string());
  if (s.input(2).has_rank() && s.input(2).rank() > 1)
    return invalid_argument(
        "'sparse_values' must be a scalar or vector, but their shape is " +
        s.input(2).to_string());
  if (auto status = s.need_rank(3, 0); !status.ok()) return status;
  return shapes::from_shape_input(1)(s);
}

/// The values' places in dy; the default value stands in all others.
void to_dense_gradient(Gradient& g) {
  auto rows = g.in(0);
  if (!rows.shape().has_rank() || rows.shape().rank() != 2) {
    auto rank = g.op("Size", {g.in(1)});
    rows = g.reshape(rows, g.op("Pack", {g.constant<int32_t>(-1), rank}, {{"axis", 0}}));
  }
  auto entries = gather_entries(g, g.dy(), rows, g.in(1));
  if (g.wants(3)) g.to_input(3, g.reduce_sum(g.dy()) - g.reduce_sum(entries));
  if (!g.wants(2)) return;
  const auto& values = g.in(2).shape();
  if (values.has_rank() && values.rank() == 1) return g.to_input(2, entries);
  // One value may stand for all.
  auto axes = g.op("BroadcastGradientArgs", {g.shape_of(g.in(2)), g.shape_of(entries)});
  auto sums = g.op("Sum", {entries, axes}, {{"keep_dims", false}});
  g.to_input(2, g.reshape_to_shape_of(2, sums));
}

Status infer_sparse_product(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  if (auto status = s.need_rank(3, 2); !status.ok()) return status;
  if (form->rank >= 0 && form->rank != 2)
    return invalid_argument(
        "input 0 must be a sparse matrix, but its rank is " + std::to_string(form->rank));
  auto sizes = s.constant_ints(2).value_or(std::vector<int64_t>(2, Shape::unknown));
  auto b = s.input(3).has_rank() ? s.input(3) : Shape::of_rank(2);
  auto adjoint_a = s.attr<bool>("adjoint_a"), adjoint_b = s.attr<bool>("adjoint_b");
  auto inner = adjoint_a ? sizes[0] : sizes[1];
  if (inner >= 0 && !Shape{inner}.is_compatible_with({b[adjoint_b ? 1 : 0]}))
    return invalid_argument(
        "matrices of " + std::to_string(inner) + " columns and of " +
        std::to_string(b[adjoint_b ? 1 : 0]) + " rows cannot be multiplied");
  auto shape = Shape::make(
      std::vector<int64_t>{adjoint_a ? sizes[1] : sizes[0], b[adjoint_b ? 0 : 1]});
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Conjugated and with rows for columns.
Value adjoint(Gradient& g, const Value& matrix) {
  return ops::conj(g.op("Transpose", {matrix, g.ints({1, 0})}));
}

void sparse_product_gradient(Gradient& g) {
  auto adjoint_a = g.node().attr<bool>("adjoint_a"), adjoint_b = g.node().attr<bool>("adjoint_b");
  if (g.wants(3)) {
    auto db = g.op(
        "SparseTensorDenseMatMul", {g.in(0), g.in(1), g.in(2), g.dy()},
        {{"adjoint_a", !adjoint_a}});
    g.to_input(3, adjoint_b ? adjoint(g, db) : db);
  }
  if (!g.wants(1)) return;
  auto column_of_indices = [&](int32_t column) {
    auto one = g.op("Slice", {g.in(0), g.ints({0, column}), g.ints({-1, 1})});
    return g.reshape(one, g.ints({-1}));
  };
  auto rows_of = [&](const Value& matrix, const Value& rows) {
    return g.op("GatherV2", {matrix, rows, g.constant<int32_t>(0)});
  };
  auto dy_rows = rows_of(g.dy(), column_of_indices(adjoint_a ? 1 : 0));
  auto b = adjoint_b ? adjoint(g, g.in(3)) : g.in(3);
  auto b_rows = rows_of(b, column_of_indices(adjoint_a ? 0 : 1));
  auto products = adjoint_a ? ops::conj(dy_rows) * b_rows : dy_rows * ops::conj(b_rows);
  g.to_input(1, g.reduce_sum(products, {1}));
}

Status infer_sparse_dense_add(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  auto shape = s.input_as_shape(2);
  if (!shape) return shape.status();
  auto both = shape->merge(s.input(3));
  if (!both) return both.status();
  s.set(0, *both);
  return {};
}

void add_sums_and_products(OpCatalog& catalog) {
  catalog.add(Op("SparseToDense")
      .doc("A tensor of that shape with the values at their places and the default value at all "
           "others. With validate_indices, the places must be in order, each only once.")
      .input("sparse_indices", "Tindices")
      .input("output_shape", "Tindices")
      .input("sparse_values", "T")
      .input("default_value", "T")
      .output("dense", "T")
      .attr("validate_indices", true)
      .attr("T", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_to_dense)
      .gradient(to_dense_gradient));
  catalog.add(Op("SparseTensorDenseMatMul")
      .doc("The matrix product of a sparse matrix a and a dense one b, each of them conjugated and "
           "with rows for columns if it is to be its adjoint.")
      .input("a_indices", "Tindices")
      .input("a_values", "T")
      .input("a_shape", DType::int64)
      .input("b", "T")
      .output("product", "T")
      .attr("T", numeric())
      .attr("Tindices", indexing(), DType::int64)
      .attr("adjoint_a", false)
      .attr("adjoint_b", false)
      .infer_shape(infer_sparse_product)
      .gradient(sparse_product_gradient));
  catalog.add(Op("SparseTensorDenseAdd")
      .doc("The sum of a sparse and a dense tensor of one shape.")
      .input("a_indices", "Tindices")
      .input("a_values", "T")
      .input("a_shape", "Tindices")
      .input("b", "T")
      .output("output", "T")
      .attr("T", numeric())
      .attr("Tindices", indexing())
      .infer_shape(infer_sparse_dense_add)
      .gradient([](Gradient& g) {
        if (g.wants(1)) g.to_input(1, gather_entries(g, g.dy(), g.in(0), g.in(2)));
        g.to_input(3, g.dy());
      }));
}

/// The sizes of the result, or nothing where the axes or sizes are not known yet.
Status infer_reduce_sum(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  if (s.input(3).has_rank() && s.input(3).rank() > 1)
    return invalid_argument(
        "'reduction_axes' must be a scalar or vector, but have shape " + s.input(3).to_string());
  auto axes = s.constant_ints(3);
  if (form->rank < 0 || form->rank > Shape::max_rank || !axes) return {};
  auto rank = static_cast<int>(form->rank);
  auto sizes = s.constant_ints(2).value_or(std::vector<int64_t>(rank, Shape::unknown));
  std::vector<bool> is_reduced(static_cast<size_t>(rank));
  for (auto each : *axes) {
    auto axis = find_axis(each, rank);
    if (!axis) return axis.status();
    is_reduced[static_cast<size_t>(*axis)] = true;
  }
  auto keep_dims = s.attr<bool>("keep_dims");
  std::vector<int64_t> kept;
  for (size_t axis = 0; axis < is_reduced.size(); ++axis)
    if (!is_reduced[axis]) kept.push_back(sizes[axis]);
    else if (keep_dims) kept.push_back(1);
  auto shape = Shape::make(kept);
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Each entry's gradient is that of the sum that it is part of.
void reduce_sum_gradient(Gradient& g) {
  auto zero = g.constant<int32_t>(0), one = g.constant<int32_t>(1);
  auto rank = g.op("Size", {g.in(2)});
  auto axes = g.reshape(g.in(3), g.ints({-1}));
  auto marks_of = [&](const Value& each) {
    return g.reduce_sum(g.op("OneHot", {each, rank, one, zero}), {0});
  };
  // An axis may count from the end, or be given twice.
  auto marks = marks_of(axes) + marks_of(axes + rank);
  auto is_reduced = g.cast(g.op("Minimum", {marks, one}), DType::int64);
  auto is_kept = g.constant<int64_t>(1) - is_reduced;
  auto sums_shape = g.in(2) * is_kept + is_reduced;
  g.to_input(1, gather_entries(g, g.dy(), g.in(0) * is_kept, sums_shape));
}

Status infer_edit_distance(ShapeInference& s) {
  for (int first : {0, 3})
    if (auto form = infer_sparse(s, first, first + 1, first + 2); !form) return form.status();
  auto x = s.input(2).merge(s.input(5));
  if (!x) return x.status();
  if (!x->is_known()) return {};
  auto rank = (*x)[0] - 1;
  if (rank < 0 || rank > Shape::max_rank)
    return invalid_argument(
        "sequences must lie in tensors of rank 1 to 9, but the rank is " +
        std::to_string(rank + 1));
  std::vector<int64_t> sizes(static_cast<size_t>(rank), Shape::unknown);
  auto a = s.constant_ints(2), b = s.constant_ints(5);
  for (size_t i = 0; a && b && i < sizes.size(); ++i) sizes[i] = std::max((*a)[i], (*b)[i]);
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

}  // namespace

void add_sparse_dense_ops(OpCatalog& catalog) {
  add_sums_and_products(catalog);
  catalog.add(Op("SparseReduceSum")
      .doc("The sums of a sparse tensor's elements over those axes, as a dense tensor.")
      .input("input_indices", DType::int64)
      .input("input_values", "T")
      .input("input_shape", DType::int64)
      .input("reduction_axes", DType::int32)
      .output("output", "T")
      .attr("keep_dims", false)
      .attr("T", numeric())
      .infer_shape(infer_reduce_sum)
      .gradient(reduce_sum_gradient));
  catalog.add(Op("EditDistance")
      .doc("How many elements must be put in, left out or replaced to make the true sequence of "
           "the other one, for each pair of sequences along the last axis of two sparse tensors; "
           "if `normalize`, divided by the length of the true one.")
      .input("hypothesis_indices", DType::int64)
      .input("hypothesis_values", "T")
      .input("hypothesis_shape", DType::int64)
      .input("truth_indices", DType::int64)
      .input("truth_values", "T")
      .input("truth_shape", DType::int64)
      .output("output", DType::float32)
      .attr("normalize", true)
      .attr("T", all_dtypes())
      .infer_shape(infer_edit_distance)
      .gradient(not_differentiable));
}

}  // namespace troupe
