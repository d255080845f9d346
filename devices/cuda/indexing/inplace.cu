#include "troupe/devices/cuda/indexing/inplace.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

using InplaceElements = Elements<
    float, double, Half, Brain, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
    uint64_t, Complex64, Complex128>;

__global__ void wrap_rows_kernel(InplaceCall call) {
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto row = call.rows[i] % call.row_count;
    call.wrapped[i] = row < 0 ? row + call.row_count : row;
  }
}

struct Replacement {
  template <class C>
  __device__ static C join(const C&, const C& by) {
    return by;
  }
};
struct Sum {
  template <class T>
  __device__ static T join(T x, T by) {
    return Narrow<T>::of(wrap(widen(x)) + wrap(widen(by)));
  }
};
struct Difference {
  template <class T>
  __device__ static T join(T x, T by) {
    return Narrow<T>::of(wrap(widen(x)) - wrap(widen(by)));
  }
};

/// One thread makes all changes of an element, so that they are in their order.
template <class F, class T>
__global__ void inplace_kernel(InplaceCall call) {
  for (auto i = first_item(); i < call.count * call.row_size; i += item_step()) {
    auto at = i / call.row_size, k = i % call.row_size;
    auto row = call.sorted[at];
    if (at > 0 && call.sorted[at - 1] == row) continue;
    auto* to = static_cast<T*>(call.to) + row * call.row_size + k;
    auto value = *to;
    for (; at < call.count && call.sorted[at] == row; ++at)
      value = F::join(value, static_cast<const T*>(call.by)[call.places[at] * call.row_size + k]);
    *to = value;
  }
}

template <class F, class T>
void launch(const InplaceCall& call) {
  start_kernel(
      call.stream, blocks_for(call.count * call.row_size), block_threads, inplace_kernel<F, T>,
      call);
}

}  // namespace

void launch_wrap_rows(const InplaceCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, wrap_rows_kernel, call);
}

LaunchInplace find_inplace(Element element, InplaceRule rule) {
  return choose<LaunchInplace>(InplaceElements{}, element, [&](auto zero) {
    using T = decltype(zero);
    return rule == InplaceRule::add ? launch<Sum, T> : launch<Difference, T>;
  });
}

void launch_inplace_update(const InplaceCall& call, int size) {
  with_cell(size, [&](auto cell) { launch<Replacement, decltype(cell)>(call); });
}

}  // namespace troupe::cuda
