#if TROUPE_CUSOLVER  // else the ops are computed on the CPU
#include "troupe/devices/cpu/linalg/decompositions.hpp"

#include <algorithm>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/linalg/dense/decompositions.hpp"
#include "troupe/devices/cuda/linalg/dense/factors.hpp"
#include "troupe/devices/cuda/linalg/dense/faults.hpp"
#include "troupe/devices/cuda/linalg/dense/pivots.hpp"
#include "troupe/devices/cuda/linalg/dense/solver_calls.hpp"
#include "troupe/devices/cuda/linalg/dense/triangles.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {

Status need_solver(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_decomposable(dtype)) return no_kernel(dtype);
  return check_solver_library();
}

bool calls_solver(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  auto rank = shape.rank();
  return rank >= 2 && std::max(shape[rank - 1], shape[rank - 2]) > block_matrix_max;
}

int64_t decomposition_cost_ns(const Launch& launch) {
  return calls_solver(launch) ? solver_cost_ns : 3000;
}

namespace {

using cpu::MatrixBatch;

Result<Decomposed> decompose_cholesky(Launch& launch) {
  auto batch = MatrixBatch::of_square(launch, 0);
  if (!batch) return batch.status();
  if (launch.input(0).elements() == 0) return Decomposed{{launch.input(0)}, {}};
  auto made = factor_cholesky(launch, launch.input(0), *batch);
  if (!made) return made.status();
  return Decomposed{{std::move(made->lower)}, std::move(made->faults)};
}

/// Makes `x` the solutions for right-hand sides whose rows are exchanged already.
void divide_by_factors(
    const Launch& launch, const MatrixBatch& batch, const PivotFactors& pivots, int64_t columns,
    Tensor& x) {
  TriangleSystems systems{
      .matrices = pivots.factors.raw(),
      .x = x.mutable_raw(),
      .count = batch.count,
      .size = batch.rows,
      .columns = columns,
      .is_lower = true,
      .is_adjoint = false,
      .has_ones = true,
      .stream = stream_of(launch)};
  auto element = element_of(x.dtype());
  launch_solve_triangles(element, systems);
  systems.is_lower = systems.has_ones = false;
  launch_solve_triangles(element, systems);
}

/// The solutions of systems with those right-hand sides; without any, the inverses.
Result<Decomposed> solve_by_pivots(
    Launch& launch, const MatrixBatch& batch, bool is_adjoint, const void* rhs, int64_t columns,
    const Shape& shape) {
  auto x = launch.allocate(launch.input(0).dtype(), shape);
  if (!x) return x.status();
  if (x->elements() == 0) return Decomposed{{*std::move(x)}, {}};
  auto pivots = find_pivots(launch, batch, is_adjoint);
  if (!pivots) return pivots.status();
  auto faults = find_zeros_on_diagonals(launch, batch, pivots->factors);
  if (!faults) return faults.status();
  launch_take_rows(
      element_of(x->dtype()), x->mutable_raw(), rhs,
      static_cast<const int32_t*>(pivots->rows.raw()), batch.count, batch.rows, columns,
      stream_of(launch));
  divide_by_factors(launch, batch, *pivots, columns, *x);
  if (auto status = launched("a solution by pivots"); !status.ok()) return status;
  return Decomposed{{*std::move(x)}, *std::move(faults)};
}

Result<Decomposed> invert(Launch& launch, bool is_adjoint) {
  auto batch = MatrixBatch::of_square(launch, 0);
  if (!batch) return batch.status();
  return solve_by_pivots(launch, *batch, is_adjoint, nullptr, batch->rows, launch.input(0).shape());
}

Result<Decomposed> solve_systems(Launch& launch, bool is_adjoint) {
  auto systems = cpu::SystemSizes::of(launch, /*are_square=*/true);
  if (!systems) return systems.status();
  return solve_by_pivots(
      launch, systems->matrices, is_adjoint, launch.input(1).raw(), systems->columns,
      systems->solution);
}

/// The determinants, or if `are_logarithms`, their signs and logarithms.
Status compute_determinants(Launch& launch, bool are_logarithms) {
  auto batch = MatrixBatch::of_square(launch, 0);
  if (!batch) return batch.status();
  auto dtype = launch.input(0).dtype();
  auto determinants = launch.allocate(dtype, batch->batches),
       logarithms = launch.allocate(dtype, batch->batches);
  for (const auto* tensor : {&determinants, &logarithms})
    if (!*tensor) return tensor->status();
  PivotFactors pivots;
  PivotMemory memory{};
  if (batch->count > 0 && batch->rows > 0) {
    auto found = find_pivots(launch, *batch, /*of_adjoint=*/false);
    if (!found) return found.status();
    pivots = *std::move(found);
    memory = {pivots.factors.mutable_raw(), nullptr, out<int32_t>(pivots.signs)};
  }
  if (batch->count > 0)
    launch_determinants(
        element_of(dtype), determinants->mutable_raw(),
        are_logarithms ? logarithms->mutable_raw() : nullptr, memory, batch->count, batch->rows,
        stream_of(launch));
  launch.set(0, *std::move(determinants));
  if (are_logarithms) launch.set(1, *std::move(logarithms));
  return launched("determinants");
}

Result<Decomposed> decompose_lu(Launch& launch, DType index) {
  auto batch = MatrixBatch::of_square(launch, 0);
  if (!batch) return batch.status();
  auto shape = batch->with({batch->rows});
  if (!shape) return shape.status();
  auto rows = launch.allocate(index, *shape);
  if (!rows) return rows.status();
  if (rows->elements() == 0) {
    auto factors = launch.allocate(launch.input(0).dtype(), launch.input(0).shape());
    if (!factors) return factors.status();
    return Decomposed{{*std::move(factors), *std::move(rows)}, {}};
  }
  auto pivots = find_pivots(launch, *batch, /*of_adjoint=*/false);
  if (!pivots) return pivots.status();
  auto faults = find_zeros_on_diagonals(launch, *batch, pivots->factors);
  if (!faults) return faults.status();
  launch_cast(
      rows->mutable_raw(), element_of(index), pivots->rows.raw(), Element::int32, rows->elements(),
      stream_of(launch));
  if (auto status = launched("a cast"); !status.ok()) return status;
  return Decomposed{{std::move(pivots->factors), *std::move(rows)}, *std::move(faults)};
}

Result<Kernel> make_cholesky(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  return answering_kernel(decompose_cholesky, cpu::not_positive_definite(), calls_solver);
}

KernelCatalog::Make make_by_pivots(Result<Decomposed> (*solve)(Launch&, bool)) {
  return [solve](const Node& node) -> Result<Kernel> {
    if (auto status = need_solver(node); !status.ok()) return status;
    auto is_adjoint = node.attr<bool>("adjoint");
    return answering_kernel(
        [=](Launch& launch) { return solve(launch, is_adjoint); }, cpu::not_invertible(),
        calls_solver);
  };
}

KernelCatalog::Make make_determinants(bool are_logarithms) {
  return [are_logarithms](const Node& node) -> Result<Kernel> {
    if (auto status = need_solver(node); !status.ok()) return status;
    return Kernel{
        .compute = [=](Launch& launch) { return compute_determinants(launch, are_logarithms); },
        .cost_ns = decomposition_cost_ns};
  };
}

Result<Kernel> make_lu(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  auto index = node.attr<DType>("output_idx_type");
  return answering_kernel(
      [index](Launch& launch) { return decompose_lu(launch, index); }, cpu::not_invertible(),
      calls_solver);
}

}  // namespace

void add_decompositions_kernels(KernelCatalog& catalog) {
  for (std::string prefix : {"", "Batch"}) {
    catalog.add(prefix + "Cholesky", make_cholesky);
    catalog.add(prefix + "MatrixInverse", make_by_pivots(invert));
    catalog.add(prefix + "MatrixSolve", make_by_pivots(solve_systems));
    catalog.add(prefix + "MatrixDeterminant", make_determinants(/*are_logarithms=*/false));
  }
  catalog.add("LogMatrixDeterminant", make_determinants(/*are_logarithms=*/true));
  catalog.add("Lu", make_lu);
  add_factorizations_kernels(catalog);
  add_least_squares_kernels(catalog);
}

}  // namespace troupe::cuda

#else

#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_decompositions_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda

#endif
