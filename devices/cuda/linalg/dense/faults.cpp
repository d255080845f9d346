#include "troupe/devices/cuda/linalg/dense/faults.hpp"

#include <algorithm>
#include <utility>

#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/linalg/dense/triangles.hpp"

namespace troupe::cuda {
namespace {

Status set_all(Launch& launch, const Tensors& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) launch.set(static_cast<int>(i), outputs[i]);
  return {};
}

void start_decomposition(
    Launch& launch, const Decompose& decompose, const Status& refused, const Kernel::Done& done) {
  auto made = decompose(launch);
  if (!made) return done(made.status());
  if (!made->faults.is_set()) return done(set_all(launch, made->outputs));
  when_known(
      launch, made->faults, done,
      [&launch, outputs = std::move(made->outputs), refused](const Tensor& faults) {
        auto values = faults.values<int32_t>();
        auto has_fault = std::ranges::any_of(values, [](auto fault) { return fault != 0; });
        return has_fault ? refused : set_all(launch, outputs);
      });
}

}  // namespace

Kernel answering_kernel(Decompose decompose, Status refused, bool (*is_slow)(const Launch&)) {
  auto start = [decompose = std::move(decompose), refused = std::move(refused)](
                   Launch& launch, const Kernel::Done& done) {
    start_decomposition(launch, decompose, refused, done);
  };
  return {
      .start =
          [start = std::move(start), is_slow](Launch& launch, const Kernel::Done& done) {
            if (!is_slow || !is_slow(launch)) return start(launch, done);
            launch.device().enqueue([start, &launch, done] { start(launch, done); });
          },
      .awaits = "what the card finds about matrices"};
}

Result<Tensor> find_zeros_on_diagonals(
    const Launch& launch, const cpu::MatrixBatch& batch, const Tensor& matrices) {
  auto faults = launch.allocate(DType::int32, {batch.count});
  if (!faults) return faults;
  launch_find_zeros_on_diagonals(
      element_of(matrices.dtype()), out<int32_t>(*faults), matrices.raw(), batch.count, batch.rows,
      stream_of(launch));
  if (auto status = launched("a check of diagonals"); !status.ok()) return status;
  return faults;
}

bool is_decomposable(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::complex64 ||
         dtype == DType::complex128;
}

}  // namespace troupe::cuda
