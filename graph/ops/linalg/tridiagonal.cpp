#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/decompositions.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {
namespace {

using linalg::size_from_end;

/// Merges the batches of all inputs, the last of which is the result's shape.
Result<Shape> infer_right_side(const ShapeInference& s, int64_t rows_of_diagonals) {
  auto last = s.input_count() - 1;
  auto batches = linalg::batches_of(s, last);
  auto size = size_from_end(s.input(last), 2);
  for (int i = 0; batches && i < last; ++i) {
    auto own = linalg::batches_of(s, i);
    if (!own) return own;
    const auto& shape = s.input(i);
    Shape expected = {rows_of_diagonals, size};
    if (!expected.is_compatible_with({size_from_end(shape, 2), size_from_end(shape, 1)}))
      return invalid_argument(
          "input " + std::to_string(i) + " must have the diagonals as " +
          std::to_string(rows_of_diagonals) + " rows, of as many elements as 'rhs' has rows, but " +
          "they are " + shape.to_string() + " and " + s.input(last).to_string());
    if (size == Shape::unknown) size = size_from_end(shape, 1);
    batches = batches->merge(*own);
  }
  if (!batches) return batches;
  return linalg::append(*batches, {size, size_from_end(s.input(last), 1)});
}

Op::InferShape infer_tridiagonal(int64_t rows_of_diagonals) {
  return [=](ShapeInference& s) {
    auto shape = infer_right_side(s, rows_of_diagonals);
    if (shape) s.set(0, *shape);
    return shape.status();
  };
}

enum class MatrixAxis : uint8_t { rows, columns };

/// Part of the last two axes, as NumPy's x[..., begin:end, :] or x[..., :, begin:end]; 0 stands for
/// either end.
Value cut(const Gradient& g, const Value& x, MatrixAxis axis, int32_t begin, int32_t end) {
  auto is_rows = axis == MatrixAxis::rows;
  int64_t other = is_rows ? 4 : 2, own = is_rows ? 2 : 4;
  auto at = [&](int32_t place) { return is_rows ? g.ints({0, place, 0}) : g.ints({0, 0, place}); };
  return g.op(
      "StridedSlice", {x, at(begin), at(end), g.ints({1, 1, 1})},
      {{"ellipsis_mask", int64_t{1}},
       {"begin_mask", begin == 0 ? other | own : other},
       {"end_mask", end == 0 ? other | own : other}});
}

/// Moves elements by one place: to the beginning of an axis, or to its end. A zero comes in.
Value shift(const Gradient& g, const Value& x, MatrixAxis axis, bool to_end) {
  auto kept = to_end ? cut(g, x, axis, 0, -1) : cut(g, x, axis, 1, 0);
  auto outer = g.op("Pack", {g.op("Rank", {x}) - 2.0, g.constant<int32_t>(2)});
  auto before = to_end ? 1 : 0, after = to_end ? 0 : 1;
  auto inner = axis == MatrixAxis::rows ? Tensor::of<int32_t>({2, 2}, {before, after, 0, 0})
                                        : Tensor::of<int32_t>({2, 2}, {0, 0, before, after});
  auto zero = g.constant<int32_t>(0);
  return g.op(
      "Pad", {kept, g.op("ConcatV2", {g.fill(outer, zero), g.constant(inner), zero})});
}

/// The sums along rows, as a row.
Value row_of_sums(const Gradient& g, const Value& x) {
  return g.op("ExpandDims", {g.reduce_sum(x, {-1}), g.constant<int32_t>(-2)});
}

/// Of a product z = a * rhs: what dz * adjoint(rhs) has on the three diagonals of a.
struct DiagonalGradients {
  Value above, main, below;

  DiagonalGradients(const Gradient& g, const Value& dz, const Value& rhs) {
    auto factor = ops::conj(rhs);
    above = row_of_sums(g, dz * shift(g, factor, MatrixAxis::rows, /*to_end=*/false));
    main = row_of_sums(g, dz * factor);
    below = row_of_sums(g, dz * shift(g, factor, MatrixAxis::rows, /*to_end=*/true));
  }
};

void tridiagonal_product_gradient(Gradient& g) {
  auto dz = g.dy();
  DiagonalGradients diagonals(g, dz, g.in(3));
  g.to_input(0, diagonals.above);
  g.to_input(1, diagonals.main);
  g.to_input(2, diagonals.below);
  if (!g.wants(3)) return;
  auto down = shift(g, linalg::adjoint(g, g.in(0)) * dz, MatrixAxis::rows, /*to_end=*/true);
  auto up = shift(g, linalg::adjoint(g, g.in(2)) * dz, MatrixAxis::rows, /*to_end=*/false);
  g.to_input(3, down + linalg::adjoint(g, g.in(1)) * dz + up);
}

void tridiagonal_solution_gradient(Gradient& g) {
  auto row = [&](int32_t index) {
    return ops::conj(cut(g, g.in(0), MatrixAxis::rows, index, index == 2 ? 0 : index + 1));
  };
  auto rows = [&](const Value& above, const Value& main, const Value& below) {
    return g.op("ConcatV2", {above, main, below, g.constant<int32_t>(-2)});
  };
  auto turned = rows(
      shift(g, row(2), MatrixAxis::columns, /*to_end=*/false), row(1),
      shift(g, row(0), MatrixAxis::columns, /*to_end=*/true));
  auto pivoting = g.node().attr<bool>("partial_pivoting");
  auto d_rhs = g.op("TridiagonalSolve", {turned, g.dy()}, {{"partial_pivoting", pivoting}});
  DiagonalGradients diagonals(g, d_rhs, g.out(0));
  g.to_input(0, -rows(diagonals.above, diagonals.main, diagonals.below));
  g.to_input(1, d_rhs);
}

}  // namespace

void add_tridiagonal_ops(OpCatalog& catalog) {
  catalog.add(Op("TridiagonalMatMul")
      .doc("The products with `rhs` of matrices that are zero but for three diagonals, each "
           "given as a row: of the upper one the last element is not used, of the lower one the "
           "first.")
      .input("superdiag", "T")
      .input("maindiag", "T")
      .input("subdiag", "T")
      .input("rhs", "T")
      .output("output", "T")
      .attr("T", linalg::decomposable())
      .infer_shape(infer_tridiagonal(1))
      .gradient(tridiagonal_product_gradient));
  catalog.add(Op("TridiagonalSolve")
      .doc("The x of a * x = rhs, where the rows of `diagonals` are the upper, the main and the "
           "lower diagonal of a, as of TridiagonalMatMul; InvalidArgument where a has no inverse, "
           "or without partial_pivoting a zero is to be divided by.")
      .input("diagonals", "T")
      .input("rhs", "T")
      .output("output", "T")
      .attr("partial_pivoting", true)
      .attr("T", linalg::decomposable())
      .infer_shape(infer_tridiagonal(3))
      .gradient(tridiagonal_solution_gradient));
}

}  // namespace troupe
