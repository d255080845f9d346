#include "troupe/graph/ops/linalg/decompositions.hpp"
#include "troupe/graph/ops/linalg/matrices.hpp"

namespace troupe::linalg {
namespace {

/// Solutions x of matrix * x = rhs: of one batch, with a row for each column of `matrix`.
Status infer_solution(ShapeInference& s, bool is_square) {
  auto matrix_batches = batches_of(s, 0), rhs_batches = batches_of(s, 1);
  for (const auto* batches : {&matrix_batches, &rhs_batches})
    if (!*batches) return batches->status();
  if (is_square)
    if (auto matrices = square_matrices(s, 0); !matrices) return matrices.status();
  auto batches = matrix_batches->merge(*rhs_batches);
  Shape matrix_rows = {size_from_end(s.input(0), 2)}, rhs_rows = {size_from_end(s.input(1), 2)};
  if (!batches || !matrix_rows.is_compatible_with(rhs_rows))
    return invalid_argument(
        "a matrix and its right-hand side must have the same batches and rows, but are " +
        s.input(0).to_string() + " and " + s.input(1).to_string());
  auto rows = size_from_end(s.input(0), 1);
  if (is_square && rows == Shape::unknown) rows = rhs_rows[0];
  auto shape = append(*batches, {rows, size_from_end(s.input(1), 1)});
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// The gradients of a solution: of the right-hand side by solving with the adjoint, and of the
/// matrix.
Value solution_gradients(Gradient& g, const char* op, Attrs attrs) {
  auto is_adjoint = g.node().attr<bool>("adjoint");
  attrs["adjoint"] = !is_adjoint;
  auto d_rhs = g.op(op, {g.in(0), g.dy()}, std::move(attrs));
  g.to_input(1, d_rhs);
  return -(is_adjoint ? product(g, g.out(0), d_rhs, {.y = true})
                      : product(g, d_rhs, g.out(0), {.y = true}));
}

void triangular_gradient(Gradient& g) {
  auto is_lower = g.node().attr<bool>("lower");
  auto d_matrix = solution_gradients(g, "MatrixTriangularSolve", {{"lower", is_lower}});
  auto below = g.constant<int64_t>(is_lower ? -1 : 0);
  auto above = g.constant<int64_t>(is_lower ? 0 : -1);
  g.to_input(0, g.op("MatrixBandPart", {d_matrix, below, above}));
}

void add_square_solvers(OpCatalog& catalog) {
  catalog.add(Op("MatrixSolve")
      .doc("The x of matrix * x = rhs, or of adjoint(matrix) * x = rhs, for square matrices; "
           "InvalidArgument where one has no inverse.")
      .input("matrix", "T")
      .input("rhs", "T")
      .output("output", "T")
      .attr("adjoint", false)
      .attr("T", decomposable())
      .infer_shape([](ShapeInference& s) { return infer_solution(s, /*is_square=*/true); })
      .gradient([](Gradient& g) { g.to_input(0, solution_gradients(g, "MatrixSolve", {})); }));
  catalog.add(Op("MatrixTriangularSolve")
      .doc("As MatrixSolve, for triangular matrices: only the lower or the upper half is read.")
      .input("matrix", "T")
      .input("rhs", "T")
      .output("output", "T")
      .attr("lower", true)
      .attr("adjoint", false)
      .attr("T", decomposable())
      .infer_shape([](ShapeInference& s) { return infer_solution(s, /*is_square=*/true); })
      .gradient(triangular_gradient));
}

/// a * adjoint(a), or adjoint(a) * a, plus l2 on its diagonal.
Value regularized_square(const Gradient& g, const Value& a, const Value& l2, bool adjoint_first) {
  auto square = product(g, a, a, {.x = adjoint_first, .y = !adjoint_first});
  auto diagonal = g.op("MatrixDiagPart", {square}) + g.cast(l2, a.dtype());
  return g.op("MatrixSetDiag", {square, diagonal});
}

struct LeastSquares {
  Value a, b, l2, x, dx;
};

/// The gradients of a and b where a has at least as many rows as columns.
Values tall_gradients(const Gradient& g, const LeastSquares& s) {
  auto z = g.op("MatrixSolve", {regularized_square(g, s.a, s.l2, /*adjoint_first=*/true), s.dx});
  auto xz = product(g, s.x, z, {.y = true});
  auto symmetric = xz + adjoint(g, xz);
  return {product(g, s.b, z, {.y = true}) - product(g, s.a, symmetric), product(g, s.a, z)};
}

/// And where it has fewer.
Values wide_gradients(const Gradient& g, const LeastSquares& s) {
  auto square = regularized_square(g, s.a, s.l2, /*adjoint_first=*/false);
  auto db = g.op("MatrixSolve", {square, product(g, s.a, s.dx)});
  auto dual = g.op("MatrixSolve", {square, s.b});
  auto first = product(g, db, product(g, dual, s.a, {.x = true}));
  auto rest = s.dx - product(g, s.a, db, {.x = true});
  return {product(g, dual, rest, {.y = true}) - first, db};
}

void least_squares_gradient(Gradient& g) {
  if (!g.node().attr<bool>("fast"))
    return g.fail(unimplemented("MatrixSolveLs has a gradient only where 'fast' is true"));
  LeastSquares s{g.in(0), g.in(1), g.in(2), g.out(0), g.dy()};
  const auto& shape = g.in(0).shape();
  auto rows = size_from_end(shape, 2), columns = size_from_end(shape, 1);
  Values found;
  if (rows != Shape::unknown && columns != Shape::unknown) {
    found = rows >= columns ? tall_gradients(g, s) : wide_gradients(g, s);
  } else {
    auto rank = g.op("Rank", {s.a});
    auto size = [&](int32_t back) {
      auto begin = g.op("Pack", {rank - g.constant<int32_t>(back)});
      return g.op("Slice", {g.shape_of(s.a), begin, g.ints({1})});
    };
    auto is_tall = g.reshape(g.op("GreaterEqual", {size(2), size(1)}), g.ints({}));
    LeastSquares tall, wide;
    for (auto part :
         {&LeastSquares::a, &LeastSquares::b, &LeastSquares::l2, &LeastSquares::x,
          &LeastSquares::dx}) {
      auto either = g.op("Switch", {s.*part, is_tall});
      wide.*part = either;
      tall.*part = either.output(1);
    }
    auto of_tall = tall_gradients(g, tall), of_wide = wide_gradients(g, wide);
    for (size_t i : {0, 1}) found.push_back(g.op("Merge", {of_tall[i], of_wide[i]}));
  }
  for (int i : {0, 1}) g.to_input(i, found[static_cast<size_t>(i)]);
}

}  // namespace

void add_solver_ops(OpCatalog& catalog) {
  add_square_solvers(catalog);
  catalog.add(Op("MatrixSolveLs")
      .doc("The x with the least |matrix * x - rhs|^2 + l2_regularizer * |x|^2, of each column; "
           "the least of them in magnitude where there are several. `fast`: by the normal "
           "equations, which takes a matrix of full rank or a regularizer.")
      .input("matrix", "T")
      .input("rhs", "T")
      .input("l2_regularizer", DType::float64)
      .output("output", "T")
      .attr("T", decomposable())
      .attr("fast", true)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(2, 0); !status.ok()) return status;
        return infer_solution(s, /*is_square=*/false);
      })
      .gradient(least_squares_gradient));
}

}  // namespace troupe::linalg
