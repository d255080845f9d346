#include <algorithm>

#include "troupe/graph/ops/linalg/decompositions.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"

namespace troupe::linalg {
namespace {

int64_t least(int64_t a, int64_t b) {
  return a == Shape::unknown || b == Shape::unknown ? Shape::unknown : std::min(a, b);
}

Status set_shapes(ShapeInference& s, std::initializer_list<Result<Shape>> shapes) {
  int output = 0;
  for (const auto& shape : shapes) {
    if (!shape) return shape.status();
    s.set(output++, *shape);
  }
  return {};
}

Status infer_qr(ShapeInference& s) {
  auto batches = batches_of(s, 0);
  if (!batches) return batches.status();
  auto rows = size_from_end(s.input(0), 2), columns = size_from_end(s.input(0), 1);
  auto inner = s.attr<bool>("full_matrices") ? rows : least(rows, columns);
  return set_shapes(s, {append(*batches, {rows, inner}), append(*batches, {inner, columns})});
}

Status infer_svd(ShapeInference& s) {
  auto batches = batches_of(s, 0);
  if (!batches) return batches.status();
  auto rows = size_from_end(s.input(0), 2), columns = size_from_end(s.input(0), 1);
  auto values = least(rows, columns);
  auto is_full = s.attr<bool>("full_matrices");
  if (!s.attr<bool>("compute_uv"))
    return set_shapes(s, {append(*batches, {values}), Shape{0}, Shape{0}});
  return set_shapes(
      s, {append(*batches, {values}), append(*batches, {rows, is_full ? rows : values}),
          append(*batches, {columns, is_full ? columns : values})});
}

Status infer_eigen(ShapeInference& s) {
  auto matrices = square_matrices(s, 0);
  if (!matrices) return matrices.status();
  auto batches = batches_of(s, 0);
  auto values = append(*batches, {size_from_end(*matrices, 1)});
  return set_shapes(s, {values, s.attr<bool>("compute_v") ? *matrices : Shape{0}});
}

Status infer_lu(ShapeInference& s) {
  auto matrices = square_matrices(s, 0);
  if (!matrices) return matrices.status();
  auto batches = batches_of(s, 0);
  return set_shapes(s, {*matrices, append(*batches, {size_from_end(*matrices, 1)})});
}

Status infer_eigen_table(ShapeInference& s) {
  auto matrices = square_matrices(s, 0);
  if (!matrices) return matrices.status();
  auto batches = batches_of(s, 0);
  auto size = size_from_end(*matrices, 1);
  return set_shapes(s, {append(*batches, {size < 0 ? size : size + 1, size})});
}

bool is_complex(const Value& x) {
  return x.dtype() == DType::complex64 || x.dtype() == DType::complex128;
}

Value band_part(const Gradient& g, const Value& x, int64_t below, int64_t above) {
  return g.op("MatrixBandPart", {x, g.constant(below), g.constant(above)});
}

void qr_gradient(Gradient& g) {
  if (is_complex(g.in(0)))
    return g.fail(unimplemented("Qr of complex matrices has no gradient"));
  const auto& shape = g.out(1).shape();
  auto rows = size_from_end(shape, 2), columns = size_from_end(shape, 1);
  if (rows != columns && rows != Shape::unknown && columns != Shape::unknown)
    return g.fail(unimplemented(
        "Qr has a gradient only where r is square, but it is " + shape.to_string()));
  auto q = g.out(0), r = g.out(1), dq = g.dy(0), dr = g.dy(1);
  // x * adjoint(r)^-1.
  auto divide = [&](const Value& x) {
    return adjoint(
        g, g.op("MatrixTriangularSolve", {r, adjoint(g, x)}, {{"lower", false}}));
  };
  auto qdq = product(g, q, dq, {.x = true}), rdr = product(g, r, dr, {.y = true});
  auto skew = (qdq - adjoint(g, qdq)) + (rdr - adjoint(g, rdr));
  auto along = product(g, q, dr + divide(band_part(g, skew, -1, 0)));
  g.to_input(0, along + divide(dq - product(g, q, qdq)));
}

/// 1 / (values[j] - values[i]) at i, j, and 0 where they are the same one.
Value reciprocal_gaps(const Gradient& g, const Value& values) {
  auto columns = g.op("ExpandDims", {values, g.constant<int32_t>(-2)});
  auto rows = g.op("ExpandDims", {values, g.constant<int32_t>(-1)});
  auto gaps = g.op("Reciprocal", {columns - rows});
  return g.op("MatrixSetDiag", {gaps, g.zeros_like(values)});
}

Value diagonal(const Gradient& g, const Value& values) { return g.op("MatrixDiag", {values}); }

Value first_columns(const Gradient& g, const Value& x, int64_t begin, int64_t count) {
  if (size_from_end(x.shape(), 1) == count) return x;
  std::vector<int32_t> from(static_cast<size_t>(x.shape().rank())), size(from.size(), -1);
  from.back() = static_cast<int32_t>(begin);
  size.back() = static_cast<int32_t>(count);
  return g.op("Slice", {x, g.ints(from), g.ints(size)});
}

/// The gradient of singular vectors `u`, of which there are `count`, in what they do not span: that
/// of `du` beside them, less their share in the gradient `du2` of the vectors u2 beside them.
Value beside(const Gradient& g, const Value& all, const Value& d_all, int64_t count) {
  auto u = first_columns(g, all, 0, count), du = first_columns(g, d_all, 0, count);
  auto rest = du - product(g, u, product(g, u, du, {.x = true}));
  auto others = size_from_end(all.shape(), 1) - count;
  if (count == Shape::unknown || others <= 0) return rest;
  auto u2 = first_columns(g, all, count, others), du2 = first_columns(g, d_all, count, others);
  return rest - product(g, u2, product(g, du2, u, {.x = true}));
}

void svd_gradient(Gradient& g) {
  if (!g.node().attr<bool>("compute_uv")) {
    auto svd = g.op("Svd", {g.in(0)});
    if (!svd.is_valid()) return;
    auto scaled = product(g, diagonal(g, g.dy(0)), svd.output(2), {.y = true});
    return g.to_input(0, product(g, svd.output(1), scaled));
  }
  const auto& shape = g.in(0).shape();
  auto rows = size_from_end(shape, 2), columns = size_from_end(shape, 1);
  auto count = Shape::unknown;
  if (g.node().attr<bool>("full_matrices")) {
    count = least(rows, columns);
    if (count == Shape::unknown || std::abs(rows - columns) > 1)
      return g.fail(unimplemented(
          "Svd with full_matrices has a gradient only for matrices of known size that lack at most "
          "one row or column to be square, but they are " + shape.to_string()));
  }
  auto of_values = diagonal(g, g.dy(0));
  auto s = g.out(0);
  auto is_thin = count == Shape::unknown;
  auto u = is_thin ? g.out(1) : first_columns(g, g.out(1), 0, count);
  auto v = is_thin ? g.out(2) : first_columns(g, g.out(2), 0, count);
  auto middle = of_values;
  if (!g.has_dy(1) && !g.has_dy(2))
    return g.to_input(0, product(g, u, product(g, middle, v, {.y = true})));
  auto du = is_thin ? g.dy(1) : first_columns(g, g.dy(1), 0, count);
  auto dv = is_thin ? g.dy(2) : first_columns(g, g.dy(2), 0, count);
  auto gaps = reciprocal_gaps(g, g.square(s));
  auto turns = [&](const Value& x, const Value& dx) {
    auto turn = gaps * product(g, x, dx, {.x = true});
    return turn + adjoint(g, turn);
  };
  auto values = diagonal(g, s), inverse = diagonal(g, g.op("Reciprocal", {s}));
  middle = middle + product(g, turns(u, du), values) + product(g, values, turns(v, dv));
  auto gradient = product(g, u, product(g, middle, v, {.y = true}));
  auto u_rest = beside(g, g.out(1), g.dy(1), count), v_rest = beside(g, g.out(2), g.dy(2), count);
  gradient = gradient + product(g, u_rest, product(g, inverse, v, {.y = true}));
  g.to_input(0, gradient + product(g, u, product(g, inverse, v_rest, {.y = true})));
}

/// The op reads the lower half only, which gets all of the gradient.
void eigen_gradient(Gradient& g) {
  auto has_vectors = g.node().attr<bool>("compute_v");
  auto eigen = has_vectors ? g.out(0) : g.op("SelfAdjointEigV2", {g.in(0)});
  if (!eigen.is_valid()) return;
  auto v = has_vectors ? g.out(1) : eigen.output(1);
  auto middle = diagonal(g, g.dy(0));
  if (has_vectors && g.has_dy(1))
    middle = middle + reciprocal_gaps(g, g.out(0)) * product(g, v, g.dy(1), {.x = true});
  auto whole = product(g, v, product(g, middle, v, {.y = true}));
  auto lower = band_part(g, whole + adjoint(g, whole), -1, 0);
  auto half = 0.5 * g.op("MatrixDiagPart", {lower});
  g.to_input(0, g.op("MatrixSetDiag", {lower, half}));
}

}  // namespace

void add_factorization_ops(OpCatalog& catalog) {
  catalog.add(Op("Lu")
      .doc("Matrices whose rows p are the product of a lower triangle, with ones on the diagonal, "
           "and an upper one; both in one matrix. InvalidArgument where there is no inverse.")
      .input("input", "T")
      .output("lu", "T")
      .output("p", "output_idx_type")
      .attr("T", decomposable())
      .attr("output_idx_type", indexing(), DType::int32)
      .infer_shape(infer_lu));
  catalog.add(Op("SelfAdjointEig")
      .doc("The eigenvalues of self-adjoint matrices, the least first, as a row above their "
           "eigenvectors, which are columns. Only the lower half is read.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", {DType::float32, DType::float64})
      .infer_shape(infer_eigen_table));
  catalog.add(Op("Qr")
      .doc("Matrices as products of q, with orthonormal columns, and upper triangular r. "
           "`full_matrices`: q is square.")
      .input("input", "T")
      .output("q", "T")
      .output("r", "T")
      .attr("full_matrices", false)
      .attr("T", decomposable())
      .infer_shape(infer_qr)
      .gradient(qr_gradient));
  catalog.add(Op("Svd")
      .doc("The singular values s of matrices, the greatest first, and unless compute_uv is false "
           "the u and v of u * diag(s) * adjoint(v), with orthonormal columns. `full_matrices`: u "
           "and v are square.")
      .input("input", "T")
      .output("s", "T")
      .output("u", "T")
      .output("v", "T")
      .attr("compute_uv", true)
      .attr("full_matrices", false)
      .attr("T", decomposable())
      .infer_shape(infer_svd)
      .gradient(svd_gradient));
  catalog.add(Op("SelfAdjointEigV2")
      .doc("The eigenvalues e of self-adjoint matrices, the least first, and unless compute_v is "
           "false the eigenvectors as columns of v. Only the lower half is read.")
      .input("input", "T")
      .output("e", "T")
      .output("v", "T")
      .attr("compute_v", true)
      .attr("T", decomposable())
      .infer_shape(infer_eigen)
      .gradient(eigen_gradient));
}

}  // namespace troupe::linalg
