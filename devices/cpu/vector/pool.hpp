#pragma once

#include <array>
#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// The cells of a window that is pooled: along each of three axes so many, and so many elements
/// apart. Each cell has `inner` elements, which are pooled each for itself.
struct PoolCells {
  std::array<int64_t, 3> counts, strides;
  int64_t inner;
};

/// What is done with one window, whose first cell is given; `sums` begin at the same cell.
struct PoolLoops {
  /// Sets `out` to the greatest elements. NaN, once met, stays the greatest.
  void (*take_greatest)(const PoolCells& window, const void* first, void* out) = nullptr;
  /// Adds each gradient to the sum of the cell that has the greatest element, or the first of equal
  /// ones.
  void (*add_to_greatest)(
      const PoolCells& window, const void* first, const void* gradients, void* sums) = nullptr;
  void (*average)(const PoolCells& window, const void* first, void* out) = nullptr;
  /// Adds an equal part of each gradient to the sums of all cells.
  void (*spread)(const PoolCells& window, const void* gradients, void* sums) = nullptr;
};
/// For float32 and float64, else null.
PoolLoops pool_loops(DType dtype);

}  // namespace troupe::cpu::vector
