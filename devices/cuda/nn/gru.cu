#include "troupe/devices/cuda/nn/gru.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/nn/recurrent.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Calls f(unit, its place among cells, that of its r among gates) for those of the thread.
template <class F>
__device__ void each_cell(const GruSizes& sizes, const F& f) {
  for (auto cell = first_item(); cell < sizes.batch * sizes.units; cell += item_step()) {
    auto row = cell / sizes.units, k = cell % sizes.units;
    f(k, cell, row * 2 * sizes.units + k);
  }
}

template <class T>
__global__ void gates_kernel(GruStepCall call) {
  each_cell(call.sizes, [&](int64_t k, int64_t cell, int64_t gate) {
    auto sum = [&](int64_t more) {
      return read_wide<T>(call.of_input, gate + more) + read_wide<T>(call.of_state, gate + more) +
             read_element<T>(call.b_ru, k + more);
    };
    auto r = sigmoid(sum(0));
    write_element<T>(call.r, cell, r);
    write_element<T>(call.u, cell, sigmoid(sum(call.sizes.units)));
    write_element<T>(call.reset_state, cell, r * read_element<T>(call.h_prev, cell));
  });
}

template <class T>
__global__ void candidates_kernel(GruStepCall call) {
  each_cell(call.sizes, [&](int64_t k, int64_t cell, int64_t) {
    using A = Wide<T>;
    auto c = A(tanh(
        read_wide<T>(call.of_input, cell) + read_wide<T>(call.of_state, cell) +
        read_element<T>(call.b_c, k)));
    write_element<T>(call.c, cell, c);
    write_element<T>(
        call.h, cell, read_element<T>(call.u, cell) * (read_element<T>(call.h_prev, cell) - c) + c);
  });
}

template <class T>
__global__ void back_to_candidates_kernel(GruBackCall call) {
  each_cell(call.sizes, [&](int64_t, int64_t cell, int64_t gate) {
    using A = Wide<T>;
    auto d_h = read_element<T>(call.d_h, cell), u = read_element<T>(call.u, cell);
    auto c = read_element<T>(call.c, cell), h_prev = read_element<T>(call.h_prev, cell);
    write_element<T>(call.d_c, cell, d_h * (A(1) - u) * (A(1) - c * c));
    write_element<T>(call.d_gates, gate + call.sizes.units, d_h * (h_prev - c) * u * (A(1) - u));
  });
}

template <class T>
__global__ void back_to_gates_kernel(GruBackCall call) {
  each_cell(call.sizes, [&](int64_t, int64_t cell, int64_t gate) {
    auto r = read_element<T>(call.r, cell);
    auto by_reset = read_wide<T>(call.d_reset_state, cell) * read_element<T>(call.h_prev, cell);
    write_element<T>(call.d_gates, gate, by_reset * r * (Wide<T>(1) - r));
  });
}

template <class T>
__global__ void back_to_state_kernel(GruBackCall call) {
  for (auto i = first_item(); i < call.sizes.batch * call.sizes.inputs; i += item_step())
    write_element<T>(
        call.d_x, i, read_wide<T>(call.by_gates_to_inputs, i) + read_wide<T>(call.by_candidate, i));
  each_cell(call.sizes, [&](int64_t, int64_t cell, int64_t) {
    auto by_reset = read_wide<T>(call.d_reset_state, cell) * read_element<T>(call.r, cell);
    auto by_update = read_element<T>(call.d_h, cell) * read_element<T>(call.u, cell);
    write_element<T>(
        call.d_h_prev, cell, read_wide<T>(call.by_gates_to_state, cell) + (by_reset + by_update));
  });
}

template <class Call, void (*kernel)(Call)>
void launch(const Call& call) {
  const auto& sizes = call.sizes;
  auto count = sizes.batch * (sizes.units > sizes.inputs ? sizes.units : sizes.inputs);
  start_kernel(call.stream, blocks_for(count), block_threads, kernel, call);
}

template <class T>
constexpr GruLaunches launches{
    launch<GruStepCall, gates_kernel<T>>, launch<GruStepCall, candidates_kernel<T>>,
    launch<GruBackCall, back_to_candidates_kernel<T>>, launch<GruBackCall, back_to_gates_kernel<T>>,
    launch<GruBackCall, back_to_state_kernel<T>>};

}  // namespace

GruLaunches find_gru(Element element) {
  const auto* found = choose<const GruLaunches*>(
      FloatingElements{}, element, [](auto zero) { return &launches<decltype(zero)>; });
  return found ? *found : GruLaunches();
}

}  // namespace troupe::cuda
