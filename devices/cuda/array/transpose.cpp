#include "troupe/devices/cuda/array/transpose.hpp"

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

Status check_permutation(const Launch& launch, const cpu::IntInput& permutation, int rank) {
  if (launch.input(1).shape().rank() != 1)
    return invalid_argument(
        "the permutation must be a vector, not of shape " + launch.input(1).shape().to_string());
  if (permutation.count() != rank)
    return invalid_argument(
        "a permutation of " + std::to_string(rank) + " axes is needed, not one of " +
        std::to_string(permutation.count()));
  bool seen[Shape::max_rank]{};
  for (auto axis : permutation.values()) {
    if (axis < 0 || axis >= rank)
      return invalid_argument(
          "axis " + std::to_string(axis) + " of the permutation is not in [0, " +
          std::to_string(rank) + ")");
    if (std::exchange(seen[axis], true))
      return invalid_argument("axis " + std::to_string(axis) + " is twice in the permutation");
  }
  return {};
}

/// The walk as a transposition of matrices that lie one after the other, as of one layout of images
/// to the other; without matrices where it is none.
Matrices as_matrices(const StridedWalk<2>& walk) {
  Matrices none{.count = 0, .rows = 0, .columns = 0};
  if (walk.rank < 2 || walk.rank > 3 || walk.strides[1].at[1] != 1) return none;
  // The result's rows are the source's columns.
  Matrices found{
      .count = walk.rank == 3 ? walk.sizes[2].divisor() : 1,
      .rows = walk.sizes[0].divisor(),
      .columns = walk.sizes[1].divisor()};
  auto each = found.rows * found.columns;
  if (walk.strides[0].at[1] != found.columns) return none;
  if (walk.rank == 3 && (walk.strides[2].at[0] != each || walk.strides[2].at[1] != each))
    return none;
  return found;
}

/// `conjugate`: what each element becomes, if anything else.
Status compute_transpose(Launch& launch, LaunchUnary conjugate) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  auto permutation = cpu::IntInput::of(launch.input(1));
  if (!permutation) return permutation.status();
  auto status = check_permutation(launch, *permutation, shape.rank());
  if (!status.ok()) return status;
  auto transposed = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    transposed.set(axis, shape[static_cast<int>((*permutation)[axis])]);
  AxisStrides to(transposed), from(shape);
  StridedWalk<2> walk;
  for (int axis = shape.rank() - 1; axis >= 0; --axis)
    walk.add_axis(transposed[axis], {{to.at[axis], from.at[(*permutation)[axis]]}});
  auto result = launch.allocate(in.dtype(), transposed);
  if (!result) return result.status();
  auto matrices = as_matrices(walk);
  if (result->elements() > 0 && matrices.count > 0)
    launch_transpose(
        result->mutable_raw(), in.raw(), static_cast<int>(size_of(in.dtype())), matrices,
        stream_of(launch));
  else copy_walk(launch, *result, 0, in, 0, walk);
  if (result->elements() > 0 && conjugate)
    conjugate(result->mutable_raw(), result->raw(), result->elements(), stream_of(launch));
  return set_launched(launch, 0, *std::move(result), "a transposition");
}

KernelCatalog::Make transpose(bool is_conjugate) {
  return [is_conjugate](const Node& node) {
    auto dtype = node.attr<DType>("T");
    // Real numbers have none.
    auto conjugate = is_conjugate ? find_unary("Conj", element_of(dtype)) : nullptr;
    return copying_kernel(
        dtype, [conjugate](Launch& launch) { return compute_transpose(launch, conjugate); });
  };
}

}  // namespace

void add_transpose_kernels(KernelCatalog& catalog) {
  catalog.add("Transpose", transpose(/*is_conjugate=*/false));
  catalog.add("ConjugateTranspose", transpose(/*is_conjugate=*/true));
}

}  // namespace troupe::cuda
