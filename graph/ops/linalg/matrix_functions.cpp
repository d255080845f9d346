#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/linalg/decompositions.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"
#include "troupe/graph/ops/math/op_forms.hpp"

namespace troupe {
namespace {

Op matrix_function(const char* name, const char* doc, const DTypes& dtypes) {
  return Op(name)
      .doc(doc)
      .input("input", "T")
      .output("output", "T")
      .attr("T", dtypes)
      .infer_shape([](ShapeInference& s) {
        auto shape = linalg::square_matrices(s, 0);
        if (shape) s.set(0, *shape);
        return shape.status();
      });
}

/// The matrices x[i, j] * y[k, l] of i, k by j, l.
Value kronecker_product(const Gradient& g, const Value& x, const Value& y, const Value& shape) {
  return g.reshape(g.op("Einsum", {x, y}, {{"equation", "...ij,...kl->...ikjl"}}), shape);
}

/// The x of adjoint(r) * x + x * adjoint(r) = dy, which is linear in the elements of x.
void square_root_gradient(Gradient& g) {
  auto r = g.out(0);
  auto sizes = g.shape_of(r), zero = g.constant<int32_t>(0);
  auto rank = g.op("Size", {sizes});
  auto batches = g.op("Slice", {sizes, g.ints({0}), g.reshape(rank - 2.0, g.ints({1}))});
  auto size = g.op("Slice", {sizes, g.reshape(rank - 1.0, g.ints({1})), g.ints({1})});
  auto all = size * size;
  auto ones = g.ones_like(g.op("MatrixDiagPart", {r}));
  auto identity = g.op("MatrixSetDiag", {g.zeros_like(r), ones});
  auto shape = g.op("ConcatV2", {batches, all, all, zero});
  auto left = kronecker_product(g, linalg::adjoint(g, r), identity, shape);
  auto right = kronecker_product(g, identity, ops::conj(r), shape);
  auto column = g.op("ConcatV2", {batches, all, g.ints({1}), zero});
  auto x = g.op("MatrixSolve", {left + right, g.reshape(g.dy(), column)});
  g.to_input(0, g.reshape(x, sizes));
}

}  // namespace

void add_matrix_functions_ops(OpCatalog& catalog) {
  catalog.add(matrix_function(
      "MatrixExponential", "The sums of all powers x^k / k! of matrices.", linalg::decomposable()));
  catalog.add(matrix_function(
      "MatrixLogarithm",
      "The matrices whose exponentials the given ones are, with eigenvalues of imaginary part in "
      "(-pi, pi]; InvalidArgument where there is none.",
      complex()));
  catalog.add(matrix_function(
      "MatrixSquareRoot",
      "The matrices whose squares the given ones are, with eigenvalues of no negative real part; "
      "NaN where none was found.",
      linalg::decomposable())
      .gradient(square_root_gradient));
}

}  // namespace troupe
