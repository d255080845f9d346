#include "troupe/graph/ops/linalg/decompositions.hpp"

#include <algorithm>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {

using namespace ops;

namespace linalg {

const DTypes& decomposable() {
  static const DTypes dtypes = {
      DType::float64, DType::float32, DType::complex64, DType::complex128};
  return dtypes;
}

Result<Shape> square_matrices(const ShapeInference& s, int index) {
  auto batches = batches_of(s, index);
  if (!batches) return batches;
  const auto& shape = s.input(index);
  auto rows = size_from_end(shape, 2), columns = size_from_end(shape, 1);
  if (!Shape{rows}.is_compatible_with({columns}))
    return invalid_argument(
        "input " + std::to_string(index) + " must be square matrices, but is " +
        shape.to_string());
  auto size = std::max(rows, columns);
  return append(*batches, {size, size});
}

namespace {

Status infer_square(ShapeInference& s) {
  auto shape = square_matrices(s, 0);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_determinant(ShapeInference& s) {
  auto matrices = square_matrices(s, 0);
  if (!matrices) return matrices.status();
  auto batches = batches_of(s, 0);
  for (size_t i = 0; i < s.outputs().size(); ++i) s.set(static_cast<int>(i), *batches);
  return batches.status();
}

/// Of a symmetric matrix of which the op reads one half: both halves get a share.
void cholesky_gradient(Gradient& g) {
  auto l = g.out(0);
  auto middle = product(g, l, g.dy(), {.x = true});
  auto halves = 0.5 * g.op("MatrixDiagPart", {middle});
  middle = g.op("MatrixSetDiag", {middle, halves});
  middle = g.op("MatrixBandPart", {middle, g.constant<int64_t>(-1), g.constant<int64_t>(0)});
  auto solve = [&](const Value& rhs) {
    return g.op("MatrixTriangularSolve", {l, rhs}, {{"lower", true}, {"adjoint", true}});
  };
  // L^-H middle L^-1, the second factor by solving with what is adjoint.
  auto half = solve(adjoint(g, solve(middle)));
  g.to_input(0, 0.5 * (half + adjoint(g, half)));
}

void add_cholesky(OpCatalog& catalog) {
  catalog.add(Op("Cholesky")
      .doc("The lower triangular L of matrices L * adjoint(L), of which only the lower half is "
           "read.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", decomposable())
      .infer_shape(infer_square)
      .gradient(cholesky_gradient));
  catalog.add(Op("CholeskyGrad")
      .doc("The gradient of Cholesky's input, symmetric, from its result `l` and the gradient of "
           "that.")
      .input("l", "T")
      .input("grad", "T")
      .output("output", "T")
      .attr("T", {DType::float32, DType::float64})
      .infer_shape([](ShapeInference& s) {
        auto shape = square_matrices(s, 0), grad = square_matrices(s, 1);
        for (const auto* matrices : {&shape, &grad})
          if (!*matrices) return matrices->status();
        auto merged = shape->merge(*grad);
        if (merged) s.set(0, *merged);
        return merged.status();
      }));
}

void inverse_gradient(Gradient& g) {
  auto inverse = g.out(0);
  // adjoint(inverse) * dy * adjoint(inverse), adjoint as a whole where the inverse is.
  auto gradient =
      g.node().attr<bool>("adjoint")
          ? product(g, inverse, product(g, g.dy(), inverse, {.x = true}))
          : product(g, inverse, product(g, g.dy(), inverse, {.y = true}), {.x = true});
  g.to_input(0, -gradient);
}

/// One number for each matrix, times the adjoint of its inverse.
Value times_inverse(const Gradient& g, const Value& factors) {
  auto inverse = g.op("MatrixInverse", {g.in(0)}, {{"adjoint", true}});
  auto minus_one = g.constant<int32_t>(-1);
  auto wide = g.op("ExpandDims", {g.op("ExpandDims", {factors, minus_one}), minus_one});
  return wide * inverse;
}

void add_inverses(OpCatalog& catalog) {
  catalog.add(Op("MatrixInverse")
      .doc("The inverses of matrices, or of their adjoints; InvalidArgument where there is none.")
      .input("input", "T")
      .output("output", "T")
      .attr("adjoint", false)
      .attr("T", decomposable())
      .infer_shape(infer_square)
      .gradient(inverse_gradient));
  catalog.add(Op("MatrixDeterminant")
      .doc("The determinants of matrices.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", decomposable())
      .infer_shape(infer_determinant)
      .gradient([](Gradient& g) { g.to_input(0, times_inverse(g, g.dy() * conj(g.out(0)))); }));
  catalog.add(Op("LogMatrixDeterminant")
      .doc("The determinants of matrices as a sign, of magnitude 1 or 0, and the logarithm of "
           "their magnitude.")
      .input("input", "T")
      .output("sign", "T")
      .output("log_abs_determinant", "T")
      .attr("T", decomposable())
      .infer_shape(infer_determinant)
      .gradient([](Gradient& g) { g.to_input(0, times_inverse(g, g.dy(1))); }));
}

}  // namespace

}  // namespace linalg

void add_decompositions_ops(OpCatalog& catalog) {
  linalg::add_cholesky(catalog);
  linalg::add_inverses(catalog);
  linalg::add_solver_ops(catalog);
  linalg::add_factorization_ops(catalog);
}

}  // namespace troupe
