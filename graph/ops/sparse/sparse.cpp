#include "troupe/graph/ops/sparse/sparse.hpp"

#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

Result<SparseForm> infer_sparse(ShapeInference& s, int indices, int values, int shape) {
  if (auto status = s.need_rank(indices, 2); !status.ok()) return status;
  if (auto status = s.need_rank(shape, 1); !status.ok()) return status;
  auto form = s.input(indices).has_rank() ? s.input(indices) : Shape::of_rank(2);
  auto size = s.input(shape).has_rank() ? s.input(shape)[0] : Shape::unknown;
  auto merged = form.merge({Shape::unknown, size});
  if (!merged)
    return invalid_argument(
        "indices of shape " + form.to_string() + " do not fit a tensor of rank " +
        std::to_string(size));
  if (values < 0) return SparseForm{(*merged)[0], (*merged)[1]};
  if (auto status = s.need_rank(values, 1); !status.ok()) return status;
  auto count = s.input(values).has_rank() ? s.input(values)[0] : Shape::unknown;
  merged = merged->merge({count, Shape::unknown});
  if (!merged)
    return invalid_argument(
        "indices of shape " + form.to_string() + " do not fit " + std::to_string(count) +
        " values");
  return SparseForm{(*merged)[0], (*merged)[1]};
}

namespace {

Status infer_reshape_sparse(ShapeInference& s) {
  auto form = infer_sparse(s, 0, -1, 1);
  if (!form) return form.status();
  if (auto status = s.need_rank(2, 1); !status.ok()) return status;
  auto rank = s.input(2).has_rank() ? s.input(2)[0] : Shape::unknown;
  s.set(0, {form->count, rank});
  s.set(1, {rank});
  return {};
}

Status infer_reorder(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  s.set(0, {form->count, form->rank});
  s.set(1, {form->count});
  return {};
}

/// The values in their old places. The numbers of the entries, reordered in the same way, are what
/// to order the gradients by.
void reorder_gradient(Gradient& g) {
  auto count = g.op("Size", {g.in(1)}, {{"out_type", DType::int64}});
  auto zero = g.constant<int64_t>(0), one = g.constant<int64_t>(1);
  auto numbers = g.op("Range", {zero, count, one});
  auto order = g.op("SparseReorder", {g.in(0), numbers, g.in(2)}).output(1);
  auto places = g.reshape(order, g.ints({-1, 1}));
  auto back = g.op("SparseReorder", {places, g.dy(1), g.reshape(count, g.ints({1}))});
  if (back.is_valid()) g.to_input(1, back.output(1));
}

Status infer_slice_sparse(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  auto rank = form->rank;
  for (int i : {3, 4}) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    if (!s.input(i).is_compatible_with({rank}))
      return invalid_argument(
          "'start' and 'size' must have " + std::to_string(rank) + " elements, but one has shape " +
          s.input(i).to_string());
    if (s.input(i).has_rank() && rank < 0) rank = s.input(i)[0];
  }
  s.set(0, {Shape::unknown, rank});
  s.set(1, {Shape::unknown});
  s.set(2, {rank});
  return {};
}

Status infer_concat_sparse(ShapeInference& s) {
  auto parts = s.input_count() / 3;
  int64_t rank = Shape::unknown, count = 0;
  for (int i = 0; i < parts; ++i) {
    auto form = infer_sparse(s, i, parts + i, 2 * parts + i);
    if (!form) return form.status();
    if (rank >= 0 && form->rank >= 0 && rank != form->rank)
      return invalid_argument(
          "tensors of rank " + std::to_string(rank) + " and " + std::to_string(form->rank) +
          " cannot be concatenated");
    rank = std::max(rank, form->rank);
    count = count < 0 || form->count < 0 ? Shape::unknown : count + form->count;
  }
  auto axis = s.attr<int64_t>("concat_dim");
  if (rank >= 0 && (axis < -rank || axis >= rank))
    return invalid_argument(
        "'concat_dim' must lie in [" + std::to_string(-rank) + ", " + std::to_string(rank) +
        "), but is " + std::to_string(axis));
  s.set(0, {count, rank});
  s.set(1, {count});
  s.set(2, {rank});
  return {};
}

Status infer_split_sparse(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto form = infer_sparse(s, 1, 2, 3);
  if (!form) return form.status();
  auto parts = static_cast<int>(s.attr<int64_t>("num_split"));
  for (int part = 0; part < parts; ++part) {
    s.set(part, {Shape::unknown, form->rank});
    s.set(parts + part, {Shape::unknown});
    s.set(2 * parts + part, {form->rank});
  }
  return {};
}

void add_forms(OpCatalog& catalog) {
  catalog.add(Op("SparseReshape")
      .doc("The indices of the same entries in a tensor of another shape, of which one size may be "
           "-1: whatever fits.")
      .input("input_indices", DType::int64)
      .input("input_shape", DType::int64)
      .input("new_shape", DType::int64)
      .output("output_indices", DType::int64)
      .output("output_shape", DType::int64)
      .infer_shape(infer_reshape_sparse)
      .gradient(not_differentiable));
  catalog.add(Op("SparseReorder")
      .doc("A sparse tensor's entries in the order of their indices, row by row.")
      .input("input_indices", DType::int64)
      .input("input_values", "T")
      .input("input_shape", DType::int64)
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .attr("T", all_dtypes())
      .infer_shape(infer_reorder)
      .gradient(reorder_gradient));
  catalog.add(Op("SparseConcat")
      .doc("Sparse tensors one after the other along axis `concat_dim`, in the order of indices.")
      .inputs("indices", DType::int64, "N")
      .inputs("values", "T", "N")
      .inputs("shapes", DType::int64, "N")
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .output("output_shape", DType::int64)
      .attr("concat_dim", AttrType::integer)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 2)
      .attr("T", all_dtypes())
      .infer_shape(infer_concat_sparse)
      .gradient(not_differentiable));
}

void add_sparse_slices(OpCatalog& catalog) {
  catalog.add(Op("SparseSplit")
      .doc("A sparse tensor in `num_split` parts along axis `split_dim`, of which the first have "
           "one index more where they cannot be equal.")
      .input("split_dim", DType::int64)
      .input("indices", DType::int64)
      .input("values", "T")
      .input("shape", DType::int64)
      .outputs("output_indices", DType::int64, "num_split")
      .outputs("output_values", "T", "num_split")
      .outputs("output_shape", DType::int64, "num_split")
      .attr("num_split", AttrType::integer)
      .attr_at_least("num_split", 1)
      .attr("T", all_dtypes())
      .infer_shape(infer_split_sparse));
  catalog.add(Op("SparseSlice")
      .doc("The entries of a sparse tensor that lie in the part from `start` on, of that `size` or "
           "as much of it as there is.")
      .input("indices", DType::int64)
      .input("values", "T")
      .input("shape", DType::int64)
      .input("start", DType::int64)
      .input("size", DType::int64)
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .output("output_shape", DType::int64)
      .attr("T", all_dtypes())
      .infer_shape(infer_slice_sparse)
      .gradient([](Gradient& g) {
        g.to_input(1, g.op("SparseSliceGrad", {g.dy(1), g.in(0), g.in(3), g.out(0)}));
      }));
  catalog.add(Op("SparseSliceGrad")
      .doc("The gradient of SparseSlice: for each entry of its input that of the output's entry, "
           "or 0 where it lies outside.")
      .input("backprop_val_grad", "T")
      .input("input_indices", DType::int64)
      .input("input_start", DType::int64)
      .input("output_indices", DType::int64)
      .output("val_grad", "T")
      .attr("T", numeric())
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1, 2, 3})
          if (auto status = s.need_rank(i, i == 1 || i == 3 ? 2 : 1); !status.ok()) return status;
        s.set(0, {s.input(1).has_rank() ? s.input(1)[0] : Shape::unknown});
        return Status();
      }));
}

Status infer_fill_rows(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  if (auto status = s.need_rank(3, 0); !status.ok()) return status;
  auto sizes = s.constant_ints(2);
  auto rows = sizes && !sizes->empty() ? sizes->front() : Shape::unknown;
  if (rows < Shape::unknown || rows > Shape::max_elements)
    return invalid_argument("a tensor cannot have " + std::to_string(rows) + " rows");
  s.set(0, {Shape::unknown, form->rank});
  s.set(1, {Shape::unknown});
  s.set(2, {rows});
  s.set(3, {form->count});
  return {};
}

void add_row_filling(OpCatalog& catalog) {
  catalog.add(Op("SparseFillEmptyRows")
      .doc("A sparse tensor with an entry of `default_value` at the beginning of each row, along "
           "axis 0, that has none; which rows these are; and where each old entry now is.")
      .input("indices", DType::int64)
      .input("values", "T")
      .input("dense_shape", DType::int64)
      .input("default_value", "T")
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .output("empty_row_indicator", DType::boolean)
      .output("reverse_index_map", DType::int64)
      .attr("T", all_dtypes())
      .infer_shape(infer_fill_rows)
      .gradient([](Gradient& g) {
        auto both = g.op("SparseFillEmptyRowsGrad", {g.out(3), g.dy(1)});
        if (!both.is_valid()) return;
        g.to_input(1, both.output(0));
        g.to_input(3, both.output(1));
      }));
  catalog.add(Op("SparseFillEmptyRowsGrad")
      .doc("The gradient of SparseFillEmptyRows: those of its entries at the places in "
           "reverse_index_map, and the sum of all others.")
      .input("reverse_index_map", DType::int64)
      .input("grad_values", "T")
      .output("d_values", "T")
      .output("d_default_value", "T")
      .attr("T", numeric())
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1})
          if (auto status = s.need_rank(i, 1); !status.ok()) return status;
        s.set(0, s.input(0).has_rank() ? s.input(0) : Shape::of_rank(1));
        s.set(1, {});
        return Status();
      }));
}

}  // namespace

void add_sparse_ops(OpCatalog& catalog) {
  add_forms(catalog);
  add_sparse_slices(catalog);
  add_row_filling(catalog);
  add_sparse_dense_ops(catalog);
}

}  // namespace troupe
