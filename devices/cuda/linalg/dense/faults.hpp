#pragma once

#include <functional>

#include "troupe/devices/cpu/linalg/matrix_batch.hpp"
#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

/// What a kernel has put on the card's stream: its outputs, and int32 for each matrix, not 0 where
/// there is no such result. Without `faults` there is one.
struct Decomposed {
  Tensors outputs;
  Tensor faults;
};
using Decompose = std::function<Result<Decomposed>(Launch&)>;

/// A kernel that ends when the card has said whether there are faults: with `refused` if so. Where
/// it `is_slow`, as it calls a library that may wait for the card, a thread of the device does.
Kernel answering_kernel(
    Decompose decompose, Status refused, bool (*is_slow)(const Launch&) = nullptr);

/// int32 for each of the square matrices of a batch: not 0 where there is a 0 on its diagonal.
Result<Tensor> find_zeros_on_diagonals(
    const Launch& launch, const cpu::MatrixBatch& batch, const Tensor& matrices);

/// Whether there are kernels for matrices of that dtype.
bool is_decomposable(DType dtype);

}  // namespace troupe::cuda
