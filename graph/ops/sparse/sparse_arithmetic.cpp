#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"
#include "troupe/graph/ops/sparse/sparse.hpp"

namespace troupe {
namespace {

/// Checks that inputs 0 to 2 and 3 to 5 can be sparse tensors of one shape; its rank.
Result<int64_t> infer_two_sparse(ShapeInference& s) {
  auto a = infer_sparse(s, 0, 1, 2);
  if (!a) return a.status();
  auto b = infer_sparse(s, 3, 4, 5);
  if (!b) return b.status();
  auto rank = Shape{a->rank}.merge({b->rank});
  if (!rank) return rank.status();
  auto a_sizes = s.constant_ints(2), b_sizes = s.constant_ints(5);
  if (a_sizes && b_sizes && *a_sizes != *b_sizes)
    return invalid_argument("both operands must have one shape");
  return (*rank)[0];
}

Status infer_sparse_add(ShapeInference& s) {
  auto rank = infer_two_sparse(s);
  if (!rank) return rank.status();
  if (auto status = s.need_rank(6, 0); !status.ok()) return status;
  s.set(0, {Shape::unknown, *rank});
  s.set(1, {Shape::unknown});
  s.set(2, {*rank});
  return {};
}

void sparse_add_gradient(Gradient& g) {
  auto both = g.op("SparseAddGrad", {g.dy(1), g.in(0), g.in(3), g.out(0)});
  if (!both.is_valid()) return;
  g.to_input(1, both.output(0));
  g.to_input(4, both.output(1));
}

void add_sparse_sums(OpCatalog& catalog) {
  catalog.add(Op("SparseAdd")
      .doc("The sum of two sparse tensors of one shape, whose entries are in order, as a sparse "
           "tensor; without those sums of two entries whose magnitude is less than `thresh`.")
      .input("a_indices", DType::int64)
      .input("a_values", "T")
      .input("a_shape", DType::int64)
      .input("b_indices", DType::int64)
      .input("b_values", "T")
      .input("b_shape", DType::int64)
      .input("thresh", "Treal")
      .output("sum_indices", DType::int64)
      .output("sum_values", "T")
      .output("sum_shape", DType::int64)
      .attr("T", numeric())
      .attr("Treal", real())
      .infer_shape(infer_sparse_add)
      .gradient(sparse_add_gradient));
  catalog.add(Op("SparseAddGrad")
      .doc("The gradients of SparseAdd: for each entry of its operands that of the sum's entry in "
           "the same place, or 0 where there is none.")
      .input("backprop_val_grad", "T")
      .input("a_indices", DType::int64)
      .input("b_indices", DType::int64)
      .input("sum_indices", DType::int64)
      .output("a_val_grad", "T")
      .output("b_val_grad", "T")
      .attr("T", numeric())
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1, 2, 3})
          if (auto status = s.need_rank(i, i == 0 ? 1 : 2); !status.ok()) return status;
        for (int i : {1, 2})
          s.set(i - 1, {s.input(i).has_rank() ? s.input(i)[0] : Shape::unknown});
        return Status();
      })
      .gradient(not_differentiable));
}

Op sparse_extreme(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("a_indices", DType::int64)
      .input("a_values", "T")
      .input("a_shape", DType::int64)
      .input("b_indices", DType::int64)
      .input("b_values", "T")
      .input("b_shape", DType::int64)
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .attr("T", real())
      .infer_shape([](ShapeInference& s) {
        auto rank = infer_two_sparse(s);
        if (!rank) return rank.status();
        s.set(0, {Shape::unknown, *rank});
        s.set(1, {Shape::unknown});
        return Status();
      });
}

/// One value for each entry of the sparse tensor in inputs 0 to 2.
Status infer_entry_values(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (form) s.set(0, {form->count});
  return form.status();
}

Op sparse_dense_op(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("sp_indices", DType::int64)
      .input("sp_values", "T")
      .input("sp_shape", DType::int64)
      .input("dense", "T")
      .output("output", "T")
      .attr("T", numeric())
      .infer_shape(infer_entry_values);
}

/// The dense operand's elements at the entries, and how to put gradients back there.
struct DenseOperand {
  Value places;
  Value entries;

  explicit DenseOperand(Gradient& g) {
    auto dense = g.in(3), one = g.constant<int64_t>(1), sizes = g.in(2);
    auto shape = g.cast(g.shape_of(dense), DType::int64);
    auto rank_of = [&](const Value& of) {
      return g.op("Size", {of}, {{"out_type", DType::int64}});
    };
    auto missing = g.reshape(rank_of(sizes) - rank_of(shape), g.ints({1}));
    auto all_sizes = g.op("ConcatV2", {g.fill(missing, one), shape, g.constant<int32_t>(0)});
    // An index along an axis on which the operand is repeated becomes 0.
    auto repeats = g.op("FloorDiv", {sizes, g.op("Maximum", {all_sizes, one})});
    auto indices = g.op("FloorDiv", {g.in(0), g.op("Maximum", {repeats, one})});
    auto zero = g.constant(Tensor::of<int64_t>({1}, {0}));
    auto begin = g.op("ConcatV2", {zero, missing, g.constant<int32_t>(0)});
    places = g.op("Slice", {indices, begin, g.constant(Tensor::of<int64_t>({2}, {-1, -1}))});
    entries = g.op("GatherNd", {dense, places});
  }
  Value put_back(Gradient& g, const Value& gradients) const {
    auto shape = g.cast(g.shape_of(g.in(3)), DType::int64);
    return g.op("ScatterNd", {places, gradients, shape});
  }
};

void sparse_dense_mul_gradient(Gradient& g) {
  DenseOperand dense(g);
  if (g.wants(1)) g.to_input(1, g.dy() * ops::conj(dense.entries));
  if (g.wants(3)) g.to_input(3, dense.put_back(g, g.dy() * ops::conj(g.in(1))));
}

void sparse_dense_div_gradient(Gradient& g) {
  DenseOperand dense(g);
  auto quotient = g.dy() / ops::conj(dense.entries);
  if (g.wants(1)) g.to_input(1, quotient);
  if (g.wants(3)) g.to_input(3, dense.put_back(g, -(quotient * ops::conj(g.out(0)))));
}

void sparse_softmax_gradient(Gradient& g) {
  auto scaled = g.out(0) * g.dy();
  auto sums =
      g.op("SparseReduceSum", {g.in(0), scaled, g.in(2), g.ints({-1})}, {{"keep_dims", true}});
  auto centered = g.op("SparseDenseCwiseAdd", {g.in(0), g.dy(), g.in(2), -sums});
  g.to_input(1, centered * g.out(0));
}

}  // namespace

void add_sparse_arithmetic_ops(OpCatalog& catalog) {
  add_sparse_sums(catalog);
  catalog.add(sparse_extreme(
      "SparseSparseMaximum",
      "The greater of two sparse tensors' elements, where one of them has an entry."));
  catalog.add(sparse_extreme(
      "SparseSparseMinimum",
      "The lesser of two sparse tensors' elements, where one of them has an entry."));
  catalog.add(sparse_dense_op(
      "SparseDenseCwiseAdd",
      "A sparse tensor's entries plus the elements there of `dense`, which is broadcast to it."));
  catalog.add(sparse_dense_op(
      "SparseDenseCwiseMul",
      "A sparse tensor's entries times the elements there of `dense`, which is broadcast to it.")
      .gradient(sparse_dense_mul_gradient));
  catalog.add(sparse_dense_op(
      "SparseDenseCwiseDiv",
      "A sparse tensor's entries divided by the elements there of `dense`, which is broadcast to "
      "it; an integer divided by 0 is InvalidArgument.")
      .gradient(sparse_dense_div_gradient));
  catalog.add(Op("SparseSoftmax")
      .doc("The softmax of the entries along the last axis of a sparse tensor, of which what has "
           "no entry is no part.")
      .input("sp_indices", DType::int64)
      .input("sp_values", "T")
      .input("sp_shape", DType::int64)
      .output("output", "T")
      .attr("T", {DType::float32, DType::float64})
      .infer_shape([](ShapeInference& s) {
        auto form = infer_sparse(s, 0, 1, 2);
        if (!form) return form.status();
        if (form->rank >= 0 && form->rank < 2)
          return invalid_argument(
              "a softmax takes at least rank 2, but the rank is " + std::to_string(form->rank));
        s.set(0, {form->count});
        return Status();
      })
      .gradient(sparse_softmax_gradient));
}

}  // namespace troupe
