// Systems of triangular matrices, which take no library.
#include "troupe/devices/cpu/linalg/decompositions.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/array/transpose.hpp"
#include "troupe/devices/cuda/linalg/band_part.hpp"
#include "troupe/devices/cuda/linalg/dense/faults.hpp"
#include "troupe/devices/cuda/linalg/dense/triangles.hpp"
#include "troupe/devices/cuda/linalg/product_cache.hpp"

namespace troupe::cuda {
namespace {

Result<Decomposed> solve_triangles(Launch& launch, bool is_lower, bool is_adjoint) {
  auto systems = cpu::SystemSizes::of(launch, /*are_square=*/true);
  if (!systems) return systems.status();
  auto x = launch.reuse_or_allocate({1}, launch.input(1).dtype(), systems->solution);
  if (!x) return x.status();
  if (x->elements() == 0) return Decomposed{{*std::move(x)}, {}};
  const auto& matrices = launch.input(0);
  if (auto status = copy_all(launch, *x, launch.input(1)); !status.ok()) return status;
  auto faults = find_zeros_on_diagonals(launch, systems->matrices, matrices);
  if (!faults) return faults.status();
  launch_solve_triangles(
      element_of(matrices.dtype()), {.matrices = matrices.raw(),
                                     .x = x->mutable_raw(),
                                     .count = systems->matrices.count,
                                     .size = systems->matrices.rows,
                                     .columns = systems->columns,
                                     .is_lower = is_lower,
                                     .is_adjoint = is_adjoint,
                                     .stream = stream_of(launch)});
  if (auto status = launched("a solution of triangles"); !status.ok()) return status;
  return Decomposed{{*std::move(x)}, *std::move(faults)};
}

Result<Kernel> make_triangular_solve(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_decomposable(dtype)) return no_kernel(dtype);
  auto is_lower = node.attr<bool>("lower"), is_adjoint = node.attr<bool>("adjoint");
  return answering_kernel(
      [=](Launch& launch) { return solve_triangles(launch, is_lower, is_adjoint); },
      cpu::not_invertible());
}

/// Half of L^-T (middle + its transpose) L^-1, where `middle` is the lower half of L^T * grad with
/// half of its diagonal: as on CPUs.
Status put_cholesky_grad(Launch& launch, const cpu::MatrixBatch& batch, Tensor& result) {
  auto dtype = result.dtype();
  auto grad = launch.allocate(dtype, result.shape()),
       middle = launch.allocate(dtype, result.shape()),
       lower = launch.allocate(dtype, result.shape());
  for (const auto* tensor : {&grad, &middle, &lower})
    if (!*tensor) return tensor->status();
  auto element = element_of(dtype);
  auto n = batch.rows;
  auto stream = stream_of(launch);
  auto lower_part = [&](Tensor& to, const Tensor& from) {
    launch_band_part(
        {.to = to.mutable_raw(),
         .from = from.raw(),
         .size = static_cast<int>(size_of(dtype)),
         .elements = from.elements(),
         .rows = n,
         .columns = n,
         .lower = n,
         .upper = 0,
         .stream = stream});
  };
  lower_part(*lower, launch.input(0));
  lower_part(*grad, launch.input(1));
  auto status = kept<ProductCache>(launch).multiply(
      launch,
      {.dtype = dtype,
       .rows = n,
       .inner = n,
       .columns = n,
       .transpose_a = true,
       .transpose_b = false,
       .count = batch.count,
       .a_stride = n * n,
       .b_stride = n * n},
      {lower->raw(), grad->raw(), middle->mutable_raw()});
  if (!status.ok()) return status;
  launch_halve_diagonals(element, middle->mutable_raw(), batch.count, n, stream);
  auto divide = [&](Tensor& x) {
    launch_solve_triangles(
        element, {.matrices = lower->raw(),
                  .x = x.mutable_raw(),
                  .count = batch.count,
                  .size = n,
                  .columns = n,
                  .is_lower = true,
                  .is_adjoint = true,
                  .stream = stream});
  };
  divide(*middle);
  launch_transpose(
      grad->mutable_raw(), middle->raw(), static_cast<int>(size_of(dtype)), {batch.count, n, n},
      stream);
  divide(*grad);
  launch_symmetric_parts(element, result.mutable_raw(), grad->raw(), batch.count, n, stream);
  return {};
}

Status compute_cholesky_grad(Launch& launch) {
  auto batch = cpu::cholesky_grad_batch(launch);
  if (!batch) return batch.status();
  auto result = launch.allocate(launch.input(0).dtype(), launch.input(0).shape());
  if (!result) return result.status();
  if (result->elements() > 0)
    if (auto status = put_cholesky_grad(launch, *batch, *result); !status.ok()) return status;
  return set_launched(launch, 0, *std::move(result), "a gradient of Cholesky");
}

Result<Kernel> make_cholesky_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (dtype != DType::float32 && dtype != DType::float64) return no_kernel(dtype);
  return Kernel{.compute = compute_cholesky_grad};
}

}  // namespace

void add_triangular_kernels(KernelCatalog& catalog) {
  for (std::string prefix : {"", "Batch"}) {
    catalog.add(prefix + "MatrixTriangularSolve", make_triangular_solve);
    catalog.add(prefix + "CholeskyGrad", make_cholesky_grad);
  }
}

}  // namespace troupe::cuda
