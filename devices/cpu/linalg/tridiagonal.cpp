#include "troupe/devices/cpu/linalg/tridiagonal.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {
namespace {

/// Fails unless input `index` has that many rows for each right-hand side, as long as it is high.
Status check_diagonals(const Launch& launch, int index, int64_t rows, const MatrixBatch& rhs) {
  auto given = MatrixBatch::of(launch, index);
  if (!given) return given.status();
  if (given->rows == rows && given->columns == rhs.rows && given->batches == rhs.batches) return {};
  return invalid_argument(
      "input " + std::to_string(index) + " must have the diagonals as " + std::to_string(rows) +
      " rows, of as many elements as 'rhs' has rows, but they are " +
      launch.input(index).shape().to_string() + " and " +
      launch.input(launch.input_count() - 1).shape().to_string());
}

}  // namespace

Result<MatrixBatch> tridiagonal_product_batch(const Launch& launch) {
  auto batch = MatrixBatch::of(launch, 3);
  if (!batch) return batch;
  for (int i : {0, 1, 2})
    if (auto status = check_diagonals(launch, i, 1, *batch); !status.ok()) return status;
  return batch;
}

Result<MatrixBatch> tridiagonal_systems(const Launch& launch) {
  auto batch = MatrixBatch::of(launch, 1);
  if (!batch) return batch;
  auto status = check_diagonals(launch, 0, 3, *batch);
  return status.ok() ? batch : status;
}

Status no_tridiagonal_solution(bool pivots) {
  return invalid_argument(
      pivots ? "the matrix is not invertible"
             : "the matrix is not invertible, or it takes partial_pivoting=true");
}

namespace {

struct TridiagonalProductKernel {
  explicit TridiagonalProductKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = tridiagonal_product_batch(launch);
    if (!batch) return batch.status();
    const auto& rhs = launch.input(3);
    auto out = launch.allocate(rhs.dtype(), rhs.shape());
    if (!out) return out.status();
    auto rows = batch->rows, columns = batch->columns;
    auto* to = out->template mutable_data<T>();
    const auto *x = rhs.data<T>(), *above = launch.input(0).data<T>(),
               *main = launch.input(1).data<T>(), *below = launch.input(2).data<T>();
    parallel_ranges(out->elements() > 0 ? batch->count : 0, 3 * batch->size(), [&](auto b, auto e) {
      for (auto row = b * rows; row < e * rows; ++row) {
        auto in_matrix = row % rows;
        for (auto i = row * columns; i < (row + 1) * columns; ++i) {
          auto sum = main[row] * x[i];
          if (in_matrix > 0) sum += below[row] * x[i - columns];
          if (in_matrix + 1 < rows) sum += above[row] * x[i + columns];
          to[i] = sum;
        }
      }
    });
    launch.set(0, *std::move(out));
    return {};
  }
};

/// The system of one matrix, which elimination turns into one of an upper triangle: with pivoting,
/// that has a second diagonal above the main one.
template <class S>
struct TridiagonalSystem {
  Eigen::Matrix<S, Eigen::Dynamic, 1> above, main, below, second;

  explicit TridiagonalSystem(const Dense<S>& diagonals)
      : above(diagonals.row(0)),
        main(diagonals.row(1)),
        below(diagonals.row(2)),
        second(Eigen::Matrix<S, Eigen::Dynamic, 1>::Zero(diagonals.cols())) {}

  Status solve(Dense<S>& x, bool pivots) {
    auto n = main.size();
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      if (pivots && std::abs(main(i)) < std::abs(below(i + 1))) exchange(i, x);
      if (main(i) == S(0)) return no_tridiagonal_solution(pivots);
      auto factor = below(i + 1) / main(i);
      main(i + 1) -= factor * above(i);
      above(i + 1) -= factor * second(i);
      x.row(i + 1) -= factor * x.row(i);
    }
    if (main(n - 1) == S(0)) return no_tridiagonal_solution(pivots);
    for (auto i = n; i-- > 0;) {
      if (i + 1 < n) x.row(i) -= above(i) * x.row(i + 1);
      if (i + 2 < n) x.row(i) -= second(i) * x.row(i + 2);
      x.row(i) /= main(i);
    }
    return {};
  }

 private:
  /// Rows i and i + 1.
  void exchange(Eigen::Index i, Dense<S>& x) {
    std::swap(main(i), below(i + 1));
    std::swap(above(i), main(i + 1));
    std::swap(second(i), above(i + 1));
    x.row(i).swap(x.row(i + 1));
  }
};

struct TridiagonalSolveKernel {
  bool pivots;
  explicit TridiagonalSolveKernel(const Node& node) : pivots(node.attr<bool>("partial_pivoting")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = tridiagonal_systems(launch);
    if (!batch) return batch.status();
    const auto &diagonals = launch.input(0), &rhs = launch.input(1);
    auto out = launch.allocate(rhs.dtype(), rhs.shape());
    if (!out) return out.status();
    auto n = batch->rows;
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      TridiagonalSystem<Wide<T>> system(matrix_of<T>(diagonals, index, 3, n));
      // What lies outside of the matrix must not come in when rows are exchanged.
      system.above(n - 1) = 0;
      auto x = matrix_of<T>(rhs, index, n, batch->columns);
      auto status = system.solve(x, pivots);
      if (status.ok()) put_matrix<T>(*out, index, x);
      return status;
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

}  // namespace

void add_tridiagonal_kernels(KernelCatalog& catalog) {
  catalog.add("TridiagonalMatMul", decomposition<TridiagonalProductKernel>());
  catalog.add("TridiagonalSolve", decomposition<TridiagonalSolveKernel>());
}

}  // namespace troupe::cpu
