#pragma once

#include "troupe/devices/cuda/index/divider.hpp"

namespace troupe::cuda {

/// Where N operands, each with strides of its own, hold the elements of a shape, by the elements'
/// numbers in row-major order. Axes that every operand crosses in one even stride are merged, so
/// that few divisions are left. It is handed to kernels as it is.
template <int N>
struct StridedWalk {
  static constexpr int max_rank = 16;  // an axis may be two: repeated, and as it is
  struct Offsets {
    int64_t at[N];
  };

  /// Adds the next axis, from the innermost outward. Stride 0 repeats an operand along the axis.
  void add_axis(int64_t size, const Offsets& by) {
    elements *= size;
    if (size == 1) return;
    if (rank > 0 && continues(by)) {
      size *= sizes[rank - 1].divisor();
      sizes[rank - 1] = Divider(size > 0 ? size : 1);
      return;
    }
    sizes[rank] = Divider(size > 0 ? size : 1);
    for (int i = 0; i < N; ++i) strides[rank].at[i] = by.at[i];
    ++rank;
  }

  TROUPE_BOTH bool is_small() const { return elements <= Divider::small_max; }

  TROUPE_BOTH Offsets offsets(int64_t element) const {
    Offsets found{};
    auto small = is_small();
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int axis = 0; axis < rank; ++axis) {
      auto index = element;
      if (axis + 1 < rank) {
        auto rest = sizes[axis].divide(element, small);
        index = element - rest * sizes[axis].divisor();
        element = rest;
      }
      for (int i = 0; i < N; ++i) found.at[i] += index * strides[axis].at[i];
    }
    return found;
  }

  int rank = 0;
  int64_t elements = 1;
  Divider sizes[max_rank];
  Offsets strides[max_rank]{};

 private:
  bool continues(const Offsets& by) const {
    for (int i = 0; i < N; ++i)
      if (by.at[i] != strides[rank - 1].at[i] * sizes[rank - 1].divisor()) return false;
    return true;
  }
};

}  // namespace troupe::cuda
