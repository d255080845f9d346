#pragma once

#include "troupe/devices/cuda/array/copy.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {

/// Copies what a walk leads over, from element `first` on of `from` to elements from `at` on.
inline void copy_walk(
    const Launch& launch, Tensor& to, int64_t at, const Tensor& from, int64_t first,
    const StridedWalk<2>& walk) {
  if (walk.elements == 0) return;
  auto size = static_cast<int64_t>(size_of(from.dtype()));
  launch_copy(
      {.to = static_cast<char*>(to.mutable_raw()) + at * size,
       .from = static_cast<const char*>(from.raw()) + first * size,
       .size = static_cast<int>(size),
       .walk = walk,
       .stream = stream_of(launch)});
}

/// Copies all bytes.
inline Status copy_all(const Launch& launch, Tensor& to, const Tensor& from) {
  if (to.bytes() == 0 || to.raw() == from.raw()) return {};
  return to_status(
      cudaMemcpyAsync(
          to.mutable_raw(), from.raw(), from.bytes(), cudaMemcpyDeviceToDevice, stream_of(launch)),
      "a copy");
}

/// The greatest cells that rows of so many bytes are made of, as they lie in memory.
inline int cell_of_rows(int64_t row_bytes, const Tensor& to, const Tensor& from) {
  auto all = static_cast<uintptr_t>(row_bytes) | reinterpret_cast<uintptr_t>(to.raw()) |
             reinterpret_cast<uintptr_t>(from.raw());
  int size = 16;
  while (all % static_cast<uintptr_t>(size) != 0) size /= 2;
  return size;
}

inline Status set_zeros(const Launch& launch, Tensor& to) {
  if (to.bytes() == 0) return {};
  return to_status(cudaMemsetAsync(to.mutable_raw(), 0, to.bytes(), stream_of(launch)), "a fill");
}

/// A kernel that only copies elements of the dtype.
inline Result<Kernel> copying_kernel(DType dtype, KernelCatalog::Compute compute) {
  if (!is_plain(dtype)) return no_kernel(dtype);
  return Kernel{.compute = std::move(compute)};
}

/// The maker of such a kernel, of the dtype of attribute T.
inline KernelCatalog::Make copying(Status (*compute)(Launch&)) {
  return [compute](const Node& node) { return copying_kernel(node.attr<DType>("T"), compute); };
}

}  // namespace troupe::cuda
