#if TROUPE_CUSOLVER
#include "troupe/devices/cuda/linalg/dense/factors.hpp"

#include <algorithm>
#include <limits>

#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/linalg/dense/matrix_copy.hpp"
#include "troupe/devices/cuda/linalg/dense/pivots.hpp"
#include "troupe/devices/cuda/linalg/dense/reflections.hpp"
#include "troupe/devices/cuda/linalg/dense/solver_library.hpp"

namespace troupe::cuda {
namespace {

using cpu::MatrixBatch;

bool are_small(const MatrixBatch& batch) {
  return std::max(batch.rows, batch.columns) <= block_matrix_max;
}

/// The copy of all matrices [rows, columns] of a batch.
MatrixCopy copy_of(const Launch& launch, const MatrixBatch& batch, Tensor& to, const Tensor& from) {
  return {
      .to = to.mutable_raw(),
      .from = from.raw(),
      .count = batch.count,
      .rows = batch.rows,
      .columns = batch.columns,
      .matrix = batch.size(),
      .row = batch.columns,
      .column = 1,
      .stream = stream_of(launch)};
}

/// Of matrices [columns, rows]: those of the batch in column-major order are such in row-major.
MatrixCopy transposed_copy_of(
    const Launch& launch, const MatrixBatch& batch, Tensor& to, const Tensor& from,
    bool from_columns) {
  auto copy = copy_of(launch, batch, to, from);
  if (from_columns) {
    copy.row = 1;
    copy.column = batch.rows;
  } else {
    std::swap(copy.rows, copy.columns);
    copy.row = 1;
    copy.column = batch.columns;
  }
  return copy;
}

ColumnMatrices columns_of(const MatrixBatch& batch, Tensor& matrices) {
  return {matrices.dtype(), matrices.mutable_raw(), batch.count, batch.rows, batch.columns};
}

/// Factors matrices in place by the library. A NaN is a fault to it, and none to small matrices'
/// kernel or on CPUs: such a matrix's factor becomes NaN here.
Status factor_large(
    const Launch& launch, const MatrixBatch& batch, Tensor& matrices, int32_t* faults) {
  auto not_finite = launch.allocate(DType::int32, {batch.count});
  if (!not_finite) return not_finite.status();
  auto element = element_of(matrices.dtype());
  auto stream = stream_of(launch);
  launch_find_not_finite_matrices(
      element, out<int32_t>(*not_finite), matrices.raw(), batch.count, batch.rows, batch.columns,
      MatrixPart::lower, stream);
  // In column-major order it is the transposed, conjugated matrix, whose upper factor is the
  // transposed lower one.
  auto status =
      kept<SolverLibrary>(launch).factor_cholesky(launch, columns_of(batch, matrices), faults);
  if (!status.ok()) return status;
  launch_drop_faults(faults, out<int32_t>(*not_finite), batch.count, stream);
  auto copy = copy_of(launch, batch, matrices, matrices);
  copy.part = MatrixPart::lower;
  copy.faults = out<int32_t>(*not_finite);
  copy.instead = std::numeric_limits<double>::quiet_NaN();
  launch_matrix_copy(element, copy);
  return launched("a decomposition by Cholesky");
}

}  // namespace

Result<CholeskyFactors> factor_cholesky(
    const Launch& launch, const Tensor& in, const MatrixBatch& batch) {
  auto lower = launch.allocate(in.dtype(), in.shape());
  auto faults = launch.allocate(DType::int32, {batch.count});
  for (const auto* tensor : {&lower, &faults})
    if (!*tensor) return tensor->status();
  auto element = element_of(in.dtype());
  auto copy = copy_of(launch, batch, *lower, in);
  copy.part = MatrixPart::lower;
  launch_matrix_copy(element, copy);
  Status status;
  if (are_small(batch)) {
    launch_cholesky(
        element, lower->mutable_raw(), out<int32_t>(*faults), batch.count, batch.rows,
        stream_of(launch));
    status = launched("a decomposition by Cholesky");
  } else {
    status = factor_large(launch, batch, *lower, out<int32_t>(*faults));
  }
  if (!status.ok()) return status;
  return CholeskyFactors{*std::move(lower), *std::move(faults)};
}

Result<PivotFactors> find_pivots(const Launch& launch, const MatrixBatch& batch, bool of_adjoint) {
  const auto& in = launch.input(0);
  auto n = batch.rows;
  auto factors = launch.allocate(in.dtype(), in.shape());
  auto rows = launch.allocate(DType::int32, {batch.count, n});
  auto signs = launch.allocate(DType::int32, {batch.count});
  for (const auto* tensor : {&factors, &rows, &signs})
    if (!*tensor) return tensor->status();
  auto element = element_of(in.dtype());
  PivotMemory memory{factors->mutable_raw(), out<int32_t>(*rows), out<int32_t>(*signs)};
  auto stream = stream_of(launch);
  if (are_small(batch)) {
    auto copy = of_adjoint ? transposed_copy_of(launch, batch, *factors, in, false)
                           : copy_of(launch, batch, *factors, in);
    copy.conjugates = of_adjoint;
    launch_matrix_copy(element, copy);
    launch_find_pivots(element, memory, batch.count, n, stream);
  } else {
    auto columns = launch.allocate(in.dtype(), in.shape());
    auto exchanges = launch.allocate(DType::int64, {batch.count, n});
    for (const auto* tensor : {&columns, &exchanges})
      if (!*tensor) return tensor->status();
    // The adjoint in column-major order is the conjugated matrix in row-major order.
    auto copy = of_adjoint ? copy_of(launch, batch, *columns, in)
                           : transposed_copy_of(launch, batch, *columns, in, false);
    copy.conjugates = of_adjoint;
    launch_matrix_copy(element, copy);
    auto status = kept<SolverLibrary>(launch).find_pivots(
        launch, columns_of(batch, *columns), out<int64_t>(*exchanges));
    if (!status.ok()) return status;
    launch_matrix_copy(element, transposed_copy_of(launch, batch, *factors, *columns, true));
    launch_follow_exchanges(memory, out<int64_t>(*exchanges), batch.count, n, stream);
  }
  if (auto status = launched("a decomposition with pivots"); !status.ok()) return status;
  return PivotFactors{*std::move(factors), *std::move(rows), *std::move(signs)};
}

Result<ReflectionFactors> find_reflections(const Launch& launch, const MatrixBatch& batch) {
  const auto& in = launch.input(0);
  auto matrices = launch.allocate(in.dtype(), in.shape());
  auto factors = launch.allocate(in.dtype(), {batch.count, std::min(batch.rows, batch.columns)});
  for (const auto* tensor : {&matrices, &factors})
    if (!*tensor) return tensor->status();
  auto element = element_of(in.dtype());
  if (are_small(batch)) {
    launch_matrix_copy(element, copy_of(launch, batch, *matrices, in));
    launch_find_reflections(
        element,
        {matrices->mutable_raw(), factors->mutable_raw(), batch.count, batch.rows, batch.columns},
        stream_of(launch));
  } else {
    auto columns = launch.allocate(in.dtype(), in.shape());
    if (!columns) return columns.status();
    launch_matrix_copy(element, transposed_copy_of(launch, batch, *columns, in, false));
    auto status = kept<SolverLibrary>(launch).find_reflections(
        launch, columns_of(batch, *columns), factors->mutable_raw());
    if (!status.ok()) return status;
    launch_matrix_copy(element, transposed_copy_of(launch, batch, *matrices, *columns, true));
  }
  if (auto status = launched("a decomposition by reflections"); !status.ok()) return status;
  return ReflectionFactors{*std::move(matrices), *std::move(factors)};
}

}  // namespace troupe::cuda

#endif
