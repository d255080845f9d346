#include "troupe/devices/cuda/linalg/dense/tridiagonal.hpp"

#include "troupe/devices/cpu/linalg/tridiagonal.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/linalg/dense/faults.hpp"

namespace troupe::cuda {
namespace {

Status multiply(Launch& launch) {
  auto batch = cpu::tridiagonal_product_batch(launch);
  if (!batch) return batch.status();
  const auto& rhs = launch.input(3);
  auto result = launch.allocate(rhs.dtype(), rhs.shape());
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_tridiagonal_products(
        element_of(rhs.dtype()), {.out = result->mutable_raw(),
                                  .above = launch.input(0).raw(),
                                  .main = launch.input(1).raw(),
                                  .below = launch.input(2).raw(),
                                  .rhs = rhs.raw(),
                                  .count = batch->count,
                                  .size = batch->rows,
                                  .columns = batch->columns,
                                  .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a tridiagonal product");
}

Result<Kernel> make_product(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_decomposable(dtype)) return no_kernel(dtype);
  return Kernel{.compute = multiply, .repeats = Repeats::as_work};
}

Result<Decomposed> solve(Launch& launch, bool pivots) {
  auto batch = cpu::tridiagonal_systems(launch);
  if (!batch) return batch.status();
  const auto& rhs = launch.input(1);
  auto x = launch.allocate(rhs.dtype(), rhs.shape());
  if (!x) return x.status();
  if (x->elements() == 0) return Decomposed{{*std::move(x)}, {}};
  auto element = element_of(rhs.dtype());
  auto faults = launch.allocate(DType::int32, {batch->count});
  auto room =
      scratch(launch, tridiagonal_room_bytes(element, batch->count, batch->rows, batch->columns));
  if (!faults || !room) return faults ? room.status() : faults.status();
  launch_solve_tridiagonal(
      element, {.x = x->mutable_raw(),
                .faults = out<int32_t>(*faults),
                .diagonals = launch.input(0).raw(),
                .rhs = rhs.raw(),
                .room = room->mutable_raw(),
                .count = batch->count,
                .size = batch->rows,
                .columns = batch->columns,
                .pivots = pivots,
                .stream = stream_of(launch)});
  if (auto status = launched("a tridiagonal solution"); !status.ok()) return status;
  return Decomposed{{*std::move(x)}, *std::move(faults)};
}

Result<Kernel> make_solve(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (!is_decomposable(dtype)) return no_kernel(dtype);
  auto pivots = node.attr<bool>("partial_pivoting");
  return answering_kernel(
      [pivots](Launch& launch) { return solve(launch, pivots); },
      cpu::no_tridiagonal_solution(pivots));
}

}  // namespace

void add_tridiagonal_kernels(KernelCatalog& catalog) {
  catalog.add("TridiagonalMatMul", make_product);
  catalog.add("TridiagonalSolve", make_solve);
}

}  // namespace troupe::cuda
