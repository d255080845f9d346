#pragma once

#include <array>
#include <cstdint>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// How many elements are added, or cropped, before and after those of each axis: a tensor of int32
/// or int64 and the shape [axes, 2]. A value without allocations.
class Paddings {
 public:
  /// Fails unless there are so many axes and no entry is negative or over 2^48. `name`: of the
  /// input, for messages.
  static Result<Paddings> of(const Tensor& tensor, int axes, const char* name = "paddings");

  int64_t before(int axis) const { return before_[static_cast<size_t>(axis)]; }
  int64_t after(int axis) const { return after_[static_cast<size_t>(axis)]; }

 private:
  std::array<int64_t, Shape::max_rank> before_{};
  std::array<int64_t, Shape::max_rank> after_{};
};

// The parts of the padding family, each in the file of its name.
void add_tiling_kernels(KernelCatalog& catalog);  // Tile, TileGrad

}  // namespace troupe::cpu
