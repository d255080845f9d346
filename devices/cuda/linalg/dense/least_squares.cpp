#if TROUPE_CUSOLVER
#include <algorithm>

#include "troupe/devices/cpu/linalg/decompositions.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/linalg/dense/decompositions.hpp"
#include "troupe/devices/cuda/linalg/dense/factors.hpp"
#include "troupe/devices/cuda/linalg/dense/faults.hpp"
#include "troupe/devices/cuda/linalg/dense/triangles.hpp"
#include "troupe/devices/cuda/linalg/product_cache.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

using cpu::MatrixBatch;

/// An input's elements as float64, of which products have few errors: the normal equations square
/// how far a matrix is from one without full rank.
Result<Tensor> as_double(const Launch& launch, int index) {
  const auto& in = launch.input(index);
  if (in.dtype() == DType::float64) return in;
  auto wide = launch.allocate(DType::float64, in.shape());
  if (!wide || in.elements() == 0) return wide;
  launch_cast(
      wide->mutable_raw(), Element::float64, in.raw(), element_of(in.dtype()), in.elements(),
      stream_of(launch));
  auto status = launched("a cast");
  return status.ok() ? wide : status;
}

/// Sizes of a product of each pair of matrices; nothing may be empty.
ProductShape products(const MatrixBatch& a, bool transpose_a, int64_t columns, bool transpose_b) {
  auto rows = transpose_a ? a.columns : a.rows, inner = transpose_a ? a.rows : a.columns;
  return {
      .dtype = DType::float64,
      .rows = rows,
      .inner = inner,
      .columns = columns,
      .transpose_a = transpose_a,
      .transpose_b = transpose_b,
      .count = a.count,
      .a_stride = a.size(),
      .b_stride = inner * columns};
}

Result<Tensor> multiply(
    const Launch& launch, const ProductShape& shape, const Tensor& a, const Tensor& b) {
  auto product = launch.allocate(DType::float64, {shape.count, shape.rows, shape.columns});
  if (!product) return product;
  auto status = kept<ProductCache>(launch).multiply(
      launch, shape, {a.raw(), b.raw(), product->mutable_raw()});
  return status.ok() ? product : status;
}

/// The factors of adjoint(matrix) * matrix + l2, or of matrix * adjoint(matrix) + l2, whichever is
/// smaller.
Result<CholeskyFactors> factor_normal_equations(
    const Launch& launch, const MatrixBatch& batch, const Tensor& matrices, double l2) {
  auto is_tall = batch.rows >= batch.columns;
  auto size = std::min(batch.rows, batch.columns);
  auto squares = multiply(launch, products(batch, is_tall, size, !is_tall), matrices, matrices);
  if (!squares) return squares.status();
  launch_add_to_diagonals(squares->mutable_raw(), l2, batch.count, size, stream_of(launch));
  return factor_cholesky(
      launch, *squares,
      {.batches = batch.batches, .count = batch.count, .rows = size, .columns = size});
}

Status solve_by_factors(
    const Launch& launch, const CholeskyFactors& factors, Tensor& x, int64_t size,
    int64_t columns) {
  TriangleSystems systems{
      .matrices = factors.lower.raw(),
      .x = x.mutable_raw(),
      .count = x.elements() / (size * columns),
      .size = size,
      .columns = columns,
      .is_lower = true,
      .is_adjoint = false,
      .stream = stream_of(launch)};
  launch_solve_triangles(Element::float64, systems);
  systems.is_adjoint = true;
  launch_solve_triangles(Element::float64, systems);
  return launched("a solution by triangles");
}

/// Nothing may be empty.
Result<Decomposed> solve(const Launch& launch, const cpu::SystemSizes& systems, double l2) {
  const auto& batch = systems.matrices;
  auto columns = systems.columns;
  auto is_tall = batch.rows >= batch.columns;
  auto matrices = as_double(launch, 0), rhs = as_double(launch, 1);
  for (const auto* tensor : {&matrices, &rhs})
    if (!*tensor) return tensor->status();
  auto factors = factor_normal_equations(launch, batch, *matrices, l2);
  if (!factors) return factors.status();
  auto transposed = products(batch, /*transpose_a=*/true, columns, /*transpose_b=*/false);
  auto x = is_tall ? multiply(launch, transposed, *matrices, *rhs)
                   : launch.allocate(DType::float64, rhs->shape());
  if (!x) return x.status();
  auto status = is_tall ? Status() : copy_all(launch, *x, *rhs);
  if (status.ok())
    status = solve_by_factors(launch, *factors, *x, std::min(batch.rows, batch.columns), columns);
  if (!status.ok()) return status;
  if (!is_tall) x = multiply(launch, transposed, *matrices, *x);
  if (!x) return x.status();
  return Decomposed{{x->reshaped(systems.solution)}, std::move(factors->faults)};
}

Result<Decomposed> solve_least_squares(Launch& launch) {
  auto l2 = cpu::regularizer_input(launch);
  if (!l2) return l2.status();
  auto systems = cpu::SystemSizes::of(launch, /*are_square=*/false);
  if (!systems) return systems.status();
  auto dtype = launch.input(0).dtype();
  auto x = launch.allocate(dtype, systems->solution);
  if (!x) return x.status();
  if (x->elements() == 0) return Decomposed{{*std::move(x)}, {}};
  if (systems->matrices.size() == 0) {  // no equations
    auto status = set_zeros(launch, *x);
    if (!status.ok()) return status;
    return Decomposed{{*std::move(x)}, {}};
  }
  auto solved = solve(launch, *systems, *l2);
  if (!solved || dtype == DType::float64) return solved;
  launch_cast(
      x->mutable_raw(), element_of(dtype), solved->outputs[0].raw(), Element::float64,
      x->elements(), stream_of(launch));
  if (auto status = launched("a cast"); !status.ok()) return status;
  solved->outputs[0] = *std::move(x);
  return solved;
}

Result<Kernel> make_least_squares(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  auto dtype = node.attr<DType>("T");
  if (dtype != DType::float32 && dtype != DType::float64) return no_kernel(dtype);
  if (!node.attr<bool>("fast"))
    return unimplemented("a card solves least squares only by the normal equations: fast=true");
  return answering_kernel(
      solve_least_squares, cpu::not_of_full_rank(), [](const Launch&) { return true; });
}

}  // namespace

void add_least_squares_kernels(KernelCatalog& catalog) {
  for (std::string prefix : {"", "Batch"})
    catalog.add(prefix + "MatrixSolveLs", make_least_squares);
}

}  // namespace troupe::cuda

#endif
