#include "troupe/devices/cuda/array/copy.hpp"

#include "troupe/devices/cuda/array/transpose.hpp"
#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/index/greater_elements.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class C>
__global__ void copy_kernel(C* to, const C* from, StridedWalk<2> walk) {
  for (auto i = first_item(); i < walk.elements; i += item_step()) {
    auto offsets = walk.offsets(i);
    to[offsets.at[0]] = from[offsets.at[1]];
  }
}

template <class C>
__global__ void fill_kernel(C* to, uint64_t bits, int64_t count) {
  C value;
  if constexpr (sizeof(C) == 16) value = C{{bits, 0}};
  else value = static_cast<C>(bits);
  for (auto i = first_item(); i < count; i += item_step()) to[i] = value;
}

constexpr int tile = 32, tile_rows = 8;

/// A block transposes tiles, by way of memory in which neighbours of both directions are near.
template <class C>
__global__ void transpose_kernel(C* to, const C* from, Matrices matrices) {
  __shared__ C cells[tile][tile + 1];  // one more, so that columns lie in different banks
  for (int64_t i = blockIdx.x; i < matrices.tiles(); i += gridDim.x) {
    auto at = matrices.tile_at(i);
    auto base = at.matrix * matrices.rows * matrices.columns;
    auto column = at.column + threadIdx.x;
    for (int k = threadIdx.y; k < tile; k += tile_rows)
      if (column < matrices.columns && at.row + k < matrices.rows)
        cells[k][threadIdx.x] = from[base + (at.row + k) * matrices.columns + column];
    __syncthreads();
    auto row = at.row + threadIdx.x;
    for (int k = threadIdx.y; k < tile; k += tile_rows)
      if (row < matrices.rows && at.column + k < matrices.columns)
        to[base + (at.column + k) * matrices.rows + row] = cells[threadIdx.x][k];
    __syncthreads();
  }
}

}  // namespace

CopyCall by_greater_elements(CopyCall call) {
  auto most = 16 / call.size;
  auto is_aligned = [](const void* memory, int bytes) {
    return reinterpret_cast<uintptr_t>(memory) % static_cast<uintptr_t>(bytes) == 0;
  };
  while (most > 1 &&
         !(is_aligned(call.to, most * call.size) && is_aligned(call.from, most * call.size)))
    most /= 2;
  auto joined = joined_elements(call.walk, most);
  call.walk = walk_joined(call.walk, joined);
  call.size *= joined;
  return call;
}

void launch_copy(const CopyCall& given) {
  auto call = by_greater_elements(given);
  with_cell(call.size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        call.stream, blocks_for(call.walk.elements), block_threads, copy_kernel<C>,
        static_cast<C*>(call.to), static_cast<const C*>(call.from), call.walk);
  });
}

void launch_fill(void* to, uint64_t bits, int size, int64_t count, cudaStream_t stream) {
  with_cell(size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        stream, blocks_for(count), block_threads, fill_kernel<C>, static_cast<C*>(to), bits, count);
  });
}

void launch_transpose(
    void* to, const void* from, int size, const Matrices& matrices, cudaStream_t stream) {
  with_cell(size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        stream, blocks_for(matrices.tiles(), 1), dim3(tile, tile_rows), transpose_kernel<C>,
        static_cast<C*>(to), static_cast<const C*>(from), matrices);
  });
}

}  // namespace troupe::cuda
