#pragma once

#include <string>
#include <utility>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/strided_walk.hpp"
#include "troupe/devices/cuda/launch.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

inline Element element_of(DType dtype) { return static_cast<Element>(dtype); }

inline Status no_kernel(DType dtype) {
  return unimplemented(std::string("there is no CUDA kernel for ") + to_string(dtype));
}

/// Sets an output and says whether its kernel was started.
inline Status set_launched(Launch& launch, int output, Tensor value, const char* what) {
  launch.set(output, std::move(value));
  return launched(what);
}

/// The walk over `whole` with operands that are broadcast to it.
template <int N>
StridedWalk<N> broadcast_walk(const Shape& whole, const Shape (&operands)[N]) {
  StridedWalk<N> walk;
  typename StridedWalk<N>::Offsets next;
  for (int i = 0; i < N; ++i) next.at[i] = 1;
  for (int back = 1; back <= whole.rank(); ++back) {
    typename StridedWalk<N>::Offsets by{};
    for (int i = 0; i < N; ++i) {
      auto rank = operands[i].rank();
      auto size = back <= rank ? operands[i][rank - back] : 1;
      if (size != 1) by.at[i] = next.at[i];
      next.at[i] *= size;
    }
    walk.add_axis(whole[whole.rank() - back], by);
  }
  return walk;
}

/// How far apart neighbours along each axis of a tensor of that shape lie.
struct AxisStrides {
  int64_t at[Shape::max_rank]{};

  explicit AxisStrides(const Shape& shape) {
    int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      at[axis] = stride;
      stride *= shape[axis];
    }
  }
};

}  // namespace troupe::cuda
