#pragma once

#include <algorithm>
#include <array>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

/// to[i] = from[-i], of other memory.
template <class C>
void copy_reversed(C* to, const C* from, int64_t size) {
  if constexpr (requires { to->bits; }) {
    // Numbers become vectors, structs that hold them do not.
#pragma GCC ivdep
    for (int64_t i = 0; i < size; ++i) to[i].bits = from[-i].bits;
  } else {
    for (int64_t i = 0; i < size; ++i) to[i] = from[-i];
  }
}

/// Copies what the nest walks over, one element after the other, to `out`.
template <class C>
void copy_strided(C* out, const C* in, const LoopNest<1>& nest) {
  auto size = nest.row_size(), stride = nest.row_strides()[0];
  parallel_ranges(nest.rows(), size, [&](int64_t begin, int64_t end) {
    nest.each_row(begin, end, [&](int64_t row, const auto& at) {
      const auto* from = in + at[0];
      auto* to = out + row * size;
      if (stride == 1) std::copy_n(from, size, to);
      else if (stride == 0) std::fill_n(to, size, *from);
      else if (stride == -1) copy_reversed(to, from, size);
      else
        for (int64_t i = 0; i < size; ++i) to[i] = from[i * stride];
    });
  });
}

/// Sets output 0, of that shape, to the elements of input 0 that the nest walks over.
template <class C>
Status set_copy(Launch& launch, const Shape& shape, const LoopNest<1>& nest, int64_t first = 0) {
  auto out = launch.allocate(launch.input(0).dtype(), shape);
  if (!out) return out.status();
  if (out->elements() > 0)
    copy_strided(mutable_cells<C>(*out), cells<C>(launch.input(0)) + first, nest);
  launch.set(0, *std::move(out));
  return {};
}

/// How far apart neighbours along each axis lie.
using Strides = std::array<int64_t, Shape::max_rank>;

inline Strides strides_of(const Shape& shape) {
  Strides strides{};
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

}  // namespace troupe::cpu
