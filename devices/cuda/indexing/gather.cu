#include "troupe/devices/cuda/indexing/gather.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ int64_t index_at(const void* indices, bool is_long, int64_t i) {
  return is_long ? static_cast<const int64_t*>(indices)[i]
                 : static_cast<const int32_t*>(indices)[i];
}

template <class C>
__global__ void gather_kernel(
    C* to, const C* from, const void* indices, bool is_long, GatheredRows rows) {
  for (auto i = first_item(); i < rows.elements(); i += item_step()) {
    auto source = rows.source_of(i, index_at(indices, is_long, rows.index_of(i)));
    to[i] = source < 0 ? C{} : from[source];
  }
}

template <class C>
__global__ void gather_slices_kernel(
    C* to, const C* from, const void* indices, bool is_long, NamedSlices slices) {
  for (auto i = first_item(); i < slices.count * slices.size; i += item_step()) {
    auto slice = i / slices.size;
    auto position = is_long ? slices.position(static_cast<const int64_t*>(indices), slice)
                            : slices.position(static_cast<const int32_t*>(indices), slice);
    to[i] = position < 0 ? C{} : from[position * slices.size + i % slices.size];
  }
}

template <class C>
__global__ void one_hot_kernel(OneHotCall call) {
  auto* to = static_cast<C*>(call.to);
  auto on = *static_cast<const C*>(call.on), off = *static_cast<const C*>(call.off);
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto row = i / call.inner;
    auto at = row / call.depth * call.inner + i % call.inner;
    auto index = call.index_bytes == 1 ? int64_t{static_cast<const uint8_t*>(call.indices)[at]}
                                       : index_at(call.indices, call.index_bytes == 8, at);
    to[i] = index == row % call.depth ? on : off;
  }
}

}  // namespace

void launch_gather(const GatherCall& call) {
  with_cell(call.size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        call.stream, blocks_for(call.rows.elements()), block_threads, gather_kernel<C>,
        static_cast<C*>(call.to), static_cast<const C*>(call.from), call.indices,
        call.has_long_indices, call.rows);
  });
}

void launch_gather_slices(const SlicesCall& call) {
  with_cell(call.size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        call.stream, blocks_for(call.slices.count * call.slices.size), block_threads,
        gather_slices_kernel<C>, static_cast<C*>(call.to), static_cast<const C*>(call.from),
        call.indices, call.has_long_indices, call.slices);
  });
}

void launch_one_hot(const OneHotCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.count), block_threads, one_hot_kernel<decltype(cell)>, call);
  });
}

}  // namespace troupe::cuda
