#include "troupe/devices/cpu/linalg/decompositions.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

Result<MatrixBatch> cholesky_grad_batch(const Launch& launch) {
  auto batch = MatrixBatch::of_square(launch, 0);
  const auto &l = launch.input(0), &grad = launch.input(1);
  if (batch && l.shape() != grad.shape())
    return invalid_argument(
        "'l' and 'grad' must have one shape, but are " + l.shape().to_string() + " and " +
        grad.shape().to_string());
  return batch;
}

namespace {

struct CholeskyKernel {
  explicit CholeskyKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    const auto& in = launch.input(0);
    auto out = launch.allocate(in.dtype(), in.shape());
    if (!out) return out.status();
    auto n = batch->rows;
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      auto matrix = matrix_of<T>(in, index, n, n);
      if (!factor_cholesky(matrix)) return not_positive_definite();
      put_matrix<T>(*out, index, matrix);
      return {};
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

/// Half of L^-T (middle + its transpose) L^-1, where `middle` is the lower half of L^T * grad with
/// half of its diagonal.
Status compute_cholesky_grad(Launch& launch, auto zero) {
  using T = decltype(zero);
  auto batch = cholesky_grad_batch(launch);
  if (!batch) return batch.status();
  const auto &l = launch.input(0), &grad = launch.input(1);
  auto out = launch.allocate(l.dtype(), l.shape());
  if (!out) return out.status();
  auto n = batch->rows;
  auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
    Dense<double> factor = matrix_of<T>(l, index, n, n), lower = matrix_of<T>(grad, index, n, n);
    for (int64_t column = 1; column < n; ++column) {
      factor.col(column).head(column).setZero();
      lower.col(column).head(column).setZero();
    }
    Dense<double> turned = factor.transpose();
    auto middle = multiply(turned, lower);
    middle.diagonal() /= 2;
    for (int64_t column = 1; column < n; ++column) middle.col(column).head(column).setZero();
    solve_triangular(turned, /*lower=*/false, middle);
    middle.transposeInPlace();
    solve_triangular(turned, /*lower=*/false, middle);
    Dense<double> symmetric = (middle + middle.transpose()) / 2;
    put_matrix<T>(*out, index, symmetric);
    return {};
  });
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

struct InverseKernel {
  bool adjoint;
  explicit InverseKernel(const Node& node) : adjoint(node.attr<bool>("adjoint")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    const auto& in = launch.input(0);
    auto out = launch.allocate(in.dtype(), in.shape());
    if (!out) return out.status();
    auto n = batch->rows;
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      Dense<Wide<T>> inverse = Dense<Wide<T>>::Identity(n, n);
      if (!solve(matrix_of<T>(in, index, n, n, adjoint), inverse)) return not_invertible();
      put_matrix<T>(*out, index, inverse);
      return {};
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

struct DeterminantKernel {
  explicit DeterminantKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    const auto& in = launch.input(0);
    auto out = launch.allocate(in.dtype(), batch->batches);
    if (!out) return out.status();
    auto n = batch->rows;
    auto* to = out->template mutable_data<T>();
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      to[index] = T(1);
      if (n == 0) return {};
      auto pivots = find_pivots(matrix_of<T>(in, index, n, n));
      to[index] = static_cast<T>(pivots.sign * pivots.factors.diagonal().prod());
      return {};
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

struct LogDeterminantKernel {
  explicit LogDeterminantKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    const auto& in = launch.input(0);
    auto signs = launch.allocate(in.dtype(), batch->batches);
    auto logs = launch.allocate(in.dtype(), batch->batches);
    for (const auto* tensor : {&signs, &logs})
      if (!*tensor) return tensor->status();
    auto n = batch->rows;
    auto *sign = signs->template mutable_data<T>(), *log = logs->template mutable_data<T>();
    auto status = each_matrix(*batch, *signs, [&](int64_t index) -> Status {
      sign[index] = T(1);
      log[index] = T(0);
      if (n == 0) return {};
      auto pivots = find_pivots(matrix_of<T>(in, index, n, n));
      auto product = pivots.sign;
      double logarithm = 0;
      for (int64_t i = 0; i < n; ++i) {
        auto pivot = pivots.factors(i, i);
        auto size = std::abs(pivot);
        logarithm += std::log(size);
        product *= size == 0 ? pivot : pivot / size;
      }
      sign[index] = static_cast<T>(product);
      log[index] = static_cast<T>(logarithm);
      return {};
    });
    launch.set(0, *std::move(signs));
    launch.set(1, *std::move(logs));
    return status;
  }
};

}  // namespace

void add_decompositions_kernels(KernelCatalog& catalog) {
  catalog.add("Cholesky", decomposition<CholeskyKernel>());
  catalog.add("CholeskyGrad", [](const Node& node) {
    return dispatch(Types<float, double>{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{
          .compute = [zero](Launch& launch) { return compute_cholesky_grad(launch, zero); }};
    });
  });
  catalog.add("MatrixInverse", decomposition<InverseKernel>());
  catalog.add("MatrixDeterminant", decomposition<DeterminantKernel>());
  catalog.add("LogMatrixDeterminant", decomposition<LogDeterminantKernel>());
  add_solver_kernels(catalog);
  add_factorization_kernels(catalog);
}

}  // namespace troupe::cpu
