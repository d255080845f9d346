#include <limits>

#include "troupe/devices/cpu/linalg/decompositions.hpp"

namespace troupe::cpu {

Result<SystemSizes> SystemSizes::of(const Launch& launch, bool are_square) {
  auto matrices = are_square ? MatrixBatch::of_square(launch, 0) : MatrixBatch::of(launch, 0);
  if (!matrices) return matrices.status();
  auto rhs = MatrixBatch::of(launch, 1);
  if (!rhs) return rhs.status();
  if (matrices->batches != rhs->batches || matrices->rows != rhs->rows)
    return invalid_argument(
        "a matrix and its right-hand side must have the same batches and rows, but are " +
        launch.input(0).shape().to_string() + " and " + launch.input(1).shape().to_string());
  auto solution = rhs->with({matrices->columns, rhs->columns});
  if (!solution) return solution.status();
  return SystemSizes{*matrices, rhs->columns, *solution};
}

namespace {

/// Systems, and where their solutions go.
struct LinearSystems {
  SystemSizes sizes;
  Tensor out;

  static Result<LinearSystems> of(Launch& launch, bool are_square) {
    auto sizes = SystemSizes::of(launch, are_square);
    if (!sizes) return sizes.status();
    auto out = launch.allocate(launch.input(0).dtype(), sizes->solution);
    if (!out) return out.status();
    return LinearSystems{*std::move(sizes), *std::move(out)};
  }

  /// Calls f(matrix, x) for each system that has a solution to write: x is the right-hand side, of
  /// which f makes the solution.
  template <class T, class F>
  Status solve_each(Launch& launch, bool is_adjoint, const F& f) {
    const auto &all = launch.input(0), &all_rhs = launch.input(1);
    const auto& matrices = sizes.matrices;
    auto rows = matrices.rows, columns = matrices.columns;
    if (rows == 0) {
      std::fill_n(out.template mutable_data<T>(), out.elements(), T{});
    } else if (out.elements() > 0) {
      auto status = each_matrix(matrices, out, [&](int64_t index) {
        auto x = matrix_of<T>(all_rhs, index, rows, sizes.columns);
        auto status = f(matrix_of<T>(all, index, rows, columns, is_adjoint), x);
        if (status.ok()) put_matrix<T>(out, index, x);
        return status;
      });
      if (!status.ok()) return status;
    }
    launch.set(0, std::move(out));
    return {};
  }
};

struct SolveKernel {
  bool adjoint;
  explicit SolveKernel(const Node& node) : adjoint(node.attr<bool>("adjoint")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto systems = LinearSystems::of(launch, /*are_square=*/true);
    if (!systems) return systems.status();
    return systems->template solve_each<T>(
        launch, adjoint, [](const auto& matrix, auto& x) -> Status {
          return solve(matrix, x) ? Status() : not_invertible();
        });
  }
};

struct TriangularSolveKernel {
  bool lower, adjoint;
  explicit TriangularSolveKernel(const Node& node)
      : lower(node.attr<bool>("lower")), adjoint(node.attr<bool>("adjoint")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto systems = LinearSystems::of(launch, /*are_square=*/true);
    if (!systems) return systems.status();
    return systems->template solve_each<T>(
        launch, adjoint, [this](const auto& matrix, auto& x) -> Status {
          if ((matrix.diagonal().array() == Wide<T>(0)).any()) return not_invertible();
          solve_triangular(matrix, lower != adjoint, x);
          return {};
        });
  }
};

/// By the normal equations, of the matrix or of its adjoint, whichever are fewer.
template <class S>
Status solve_normal_equations(double l2, const Dense<S>& matrix, Dense<S>& x) {
  Dense<S> adjoint = matrix.adjoint();
  auto is_tall = matrix.rows() >= matrix.cols();
  auto factor = is_tall ? multiply(adjoint, matrix) : multiply(matrix, adjoint);
  factor.diagonal().array() += S(l2);
  if (!factor_cholesky(factor)) return not_of_full_rank();
  if (is_tall) x = multiply(adjoint, x);
  solve_triangular(factor, /*lower=*/true, x);
  solve_triangular<S>(factor.adjoint(), /*lower=*/false, x);
  if (!is_tall) x = multiply(adjoint, x);
  return {};
}

/// By singular values, of which those are zero that an element's precision does not tell from zero.
template <class S>
Status solve_any_rank(double epsilon, const Dense<S>& matrix, Dense<S>& x) {
  if (!matrix.allFinite() || !x.allFinite()) {
    x.setConstant(matrix.cols(), x.cols(), S(std::numeric_limits<double>::quiet_NaN()));
    return {};
  }
  auto [s, u, v] = find_singular_values(matrix, /*full=*/false);
  auto least = epsilon * double(std::max(matrix.rows(), matrix.cols())) * s.maxCoeff();
  x = multiply<S>(u.adjoint(), x);
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (s(i) > least) x.row(i) /= s(i);
    else x.row(i).setZero();
  }
  x = multiply(v, x);
  return {};
}

struct LeastSquaresKernel {
  bool fast;
  explicit LeastSquaresKernel(const Node& node) : fast(node.attr<bool>("fast")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto given = regularizer_input(launch);
    if (!given) return given.status();
    auto systems = LinearSystems::of(launch, /*are_square=*/false);
    if (!systems) return systems.status();
    return systems->template solve_each<T>(
        launch, /*is_adjoint=*/false, [this, l2 = *given](const auto& matrix, auto& x) -> Status {
          if (fast) return solve_normal_equations(l2, matrix, x);
          return solve_any_rank(double(Eigen::NumTraits<T>::epsilon()), matrix, x);
        });
  }
};

}  // namespace

Result<double> regularizer_input(const Launch& launch) {
  const auto& input = launch.input(2);
  if (!input.shape().is_scalar())
    return invalid_argument("input 2 must be a scalar, but is " + input.shape().to_string());
  auto l2 = input.value<double>();
  if (l2 >= 0) return l2;
  return invalid_argument("'l2_regularizer' must not be negative, but is " + std::to_string(l2));
}

void add_solver_kernels(KernelCatalog& catalog) {
  catalog.add("MatrixSolve", decomposition<SolveKernel>());
  catalog.add("MatrixTriangularSolve", decomposition<TriangularSolveKernel>());
  catalog.add("MatrixSolveLs", decomposition<LeastSquaresKernel>());
}

}  // namespace troupe::cpu
