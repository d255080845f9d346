#pragma once

#include <mutex>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/linalg/dense/dense.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/graph/types/eigen.hpp"

namespace troupe::cpu {

/// The element types of decompositions.
using Decomposable = decltype(Types<float, double>{} + Complex{});

/// A tensor as matrices of one size.
struct MatrixBatch {
  Shape batches;
  int64_t count = 0, rows = 0, columns = 0;

  /// Fails, naming the input, where its rank is less than 2.
  static Result<MatrixBatch> of(const Launch& launch, int input) {
    const auto& shape = launch.input(input).shape();
    if (shape.rank() < 2)
      return invalid_argument(
          "input " + std::to_string(input) + " must have at least rank 2, but is " +
          shape.to_string());
    auto rank = static_cast<size_t>(shape.rank());
    Shape batches(shape.sizes().first(rank - 2));
    return MatrixBatch{
        batches, batches.elements(), shape.sizes()[rank - 2], shape.sizes()[rank - 1]};
  }
  /// Fails also where they are not square.
  static Result<MatrixBatch> of_square(const Launch& launch, int input) {
    auto batch = of(launch, input);
    if (batch && batch->rows != batch->columns)
      return invalid_argument(
          "input " + std::to_string(input) + " must be square matrices, but is " +
          launch.input(input).shape().to_string());
    return batch;
  }

  int64_t size() const { return rows * columns; }
  /// About how many cheap operations a decomposition of one matrix takes.
  int64_t work() const {
    constexpr double most = 1e9;
    auto cubic = double(rows) * double(columns) * double(std::min(rows, columns));
    return static_cast<int64_t>(std::min(most, 16 + cubic));
  }
  /// The shape of a result, with those sizes beside the batches.
  Result<Shape> with(std::initializer_list<int64_t> sizes) const {
    std::vector<int64_t> all(batches.sizes().begin(), batches.sizes().end());
    all.insert(all.end(), sizes);
    return Shape::make(all);
  }
};

/// A result for each matrix, or the shape's error.
inline Result<Tensor> allocate(const Launch& launch, const Result<Shape>& shape) {
  if (!shape) return shape.status();
  return launch.allocate(launch.input(0).dtype(), *shape);
}

/// Calls f(row, column, rows, columns) for each of the blocks that a matrix of these sizes is cut
/// into: to copy rows to columns element by element would miss the cache at each of them.
template <class F>
void each_block(int64_t rows, int64_t columns, const F& f) {
  constexpr int64_t side = 16;
  for (int64_t row = 0; row < rows; row += side)
    for (int64_t column = 0; column < columns; column += side)
      f(row, column, std::min(side, rows - row), std::min(side, columns - column));
}

/// A matrix of a batch, as it is computed with.
template <class T>
Dense<Wide<T>> matrix_of(const Tensor& tensor, int64_t index, int64_t rows, int64_t columns) {
  Eigen::Map<const RowMajorMatrix<T>> from(
      tensor.data<T>() + index * rows * columns, rows, columns);
  Dense<Wide<T>> matrix(rows, columns);
  each_block(rows, columns, [&](auto... at) {
    matrix.block(at...) = from.block(at...).template cast<Wide<T>>();
  });
  return matrix;
}
/// As matrix_of(), transposed and, where complex, conjugated if `is_adjoint`.
template <class T>
Dense<Wide<T>> matrix_of(
    const Tensor& tensor, int64_t index, int64_t rows, int64_t columns, bool is_adjoint) {
  auto matrix = matrix_of<T>(tensor, index, rows, columns);
  if (is_adjoint) matrix = matrix.adjoint().eval();
  return matrix;
}

/// Writes a matrix, or a vector, of a batch.
template <class T, class M>
void put_matrix(Tensor& tensor, int64_t index, const M& matrix) {
  Eigen::Map<RowMajorMatrix<T>> to(
      tensor.mutable_data<T>() + index * matrix.size(), matrix.rows(), matrix.cols());
  each_block(matrix.rows(), matrix.cols(), [&](auto... at) {
    to.block(at...) = matrix.block(at...).template cast<T>();
  });
}

/// Calls f(index) for each matrix of a batch, in parallel where they are much work, and returns an
/// error that one of them had. Nothing is called where that result is empty: of empty matrices
/// there may be more than anyone can count.
template <class F>
Status each_matrix(const MatrixBatch& batch, const Tensor& result, const F& f) {
  if (result.elements() == 0) return {};
  Status failed;
  std::mutex mutex;
  parallel_ranges(batch.count, batch.work(), [&](int64_t begin, int64_t end) {
    for (auto index = begin; index < end; ++index) {
      auto status = f(index);
      if (status.ok()) continue;
      std::lock_guard lock(mutex);
      failed = status;
      return;
    }
  });
  return failed;
}

/// Makes the kernels of an op on matrices of attribute T: an F is made from the node, and its
/// run<T>() computes.
template <class F, class Allowed = Decomposable>
KernelCatalog::Make decomposition(Allowed = {}) {
  return [](const Node& node) {
    F compute(node);
    return dispatch(Allowed{}, node.attr<DType>("T"), [compute](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute = [compute](Launch& launch) { return compute.template run<T>(launch); },
          .cost_ns = [](const Launch& launch) -> int64_t {
            auto batch = MatrixBatch::of(launch, 0);
            return batch ? std::min<int64_t>(1'000'000, batch->count) * batch->work() : 0;
          }};
    });
  };
}

}  // namespace troupe::cpu
