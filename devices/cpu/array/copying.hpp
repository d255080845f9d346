#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {

/// The most elements that one thread copies at a time.
inline constexpr int64_t copied_piece = 64 * 1024;

/// Calls f(row, first, last) for all of `rows` rows of `size` elements, for long rows piece by
/// piece: on many threads where there is much to do.
template <class F>
void parallel_pieces(int64_t rows, int64_t size, const F& f) {
  if (rows == 0 || size == 0) return;
  auto pieces = (size + copied_piece - 1) / copied_piece;
  parallel_ranges(rows * pieces, std::min(size, copied_piece), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto row = pieces == 1 ? i : i / pieces;
      auto first = (i - row * pieces) * copied_piece;
      f(row, first, std::min(size, first + copied_piece));
    }
  });
}

/// to[i] = from[i], both at strides of their own.
template <class C>
void copy_row(C* to, int64_t to_stride, const C* from, int64_t from_stride, int64_t size) {
  constexpr int64_t worth_a_call = 16;  // below, a loop is faster than a call of memmove
  if (to_stride == 1 && from_stride == 1 && size >= worth_a_call) {
    std::copy_n(from, size, to);
    return;
  }
  for (int64_t i = 0; i < size; ++i) to[i * to_stride] = from[i * from_stride];
}

/// Whether rows of `size` cells are copied past the caches: long ones of an output of `bytes` that
/// they could not keep.
template <class C>
bool streams_rows(int64_t size, int64_t bytes) {
  constexpr int64_t worth_bytes = 256;
  return std::is_trivially_copyable_v<C> && size * int64_t(sizeof(C)) >= worth_bytes &&
         vector::is_beyond_caches(bytes);
}

/// Sets `count` cells to one. `streams`: past the caches, and the thread calls finish_streams().
template <class C>
void fill_cells(C* to, int64_t count, const C& cell, bool streams = false) {
  // Copies of a block in the cache are written in wider stores than this file is compiled for.
  constexpr int64_t block = std::max<int64_t>(1, 1024 / sizeof(C));
  if constexpr (std::is_trivially_copyable_v<C>) {
    if (count > block) {
      C cells[block];
      std::fill_n(cells, block, cell);
      for (int64_t i = 0; i < count; i += block) {
        auto bytes = std::min(block, count - i) * static_cast<int64_t>(sizeof(C));
        if (streams) vector::copy_past_caches(to + i, cells, bytes);
        else std::memcpy(to + i, cells, static_cast<size_t>(bytes));
      }
      return;
    }
  }
  std::fill_n(to, count, cell);
}

/// The same on all threads, past the caches where they could not keep them.
template <class C>
void fill_all(C* to, int64_t count, const C& cell) {
  auto streams = streams_rows<C>(count, count * static_cast<int64_t>(sizeof(C)));
  parallel_pieces(1, count, [&](int64_t, int64_t first, int64_t last) {
    fill_cells(to + first, last - first, cell, streams);
    if (streams) vector::finish_streams();
  });
}

/// Calls f(unit, units of an element): runs of elements are copied as bytes or as strings.
template <class F>
void with_units(DType dtype, const F& f) {
  if (dtype == DType::string) f(std::string(), int64_t{1});
  else f(std::byte{}, static_cast<int64_t>(size_of(dtype)));
}

/// A kernel that only copies elements; Unimplemented for a dtype of which they cannot be.
Result<Kernel> copying_kernel(DType dtype, KernelCatalog::Compute compute);

/// Copies elements, of one dtype, from `first` on to `at` in another tensor.
void copy_elements(Tensor& to, int64_t at, const Tensor& from, int64_t first, int64_t count);
/// Copies what a walk with two operands, to and from, passes, which begins at those elements. The
/// memory of `to` is no part of that of `from`.
void copy_nest(Tensor& to, int64_t at, const Tensor& from, int64_t first, const LoopNest<2>& nest);
/// The elements of `whole` from `first` on, in that shape. A large part shares them; it has no
/// allocator, since the memory is not its own, so that what keeps tensors for long copies it.
Result<Tensor> part_of(
    const Tensor& whole, int64_t first, const Shape& shape, Allocator& allocator);
/// The elements of `whole` that a walk as that of copy_nest() passes: as above where they lie there
/// one after the other.
Result<Tensor> part_of(
    const Tensor& whole, int64_t first, const LoopNest<2>& nest, const Shape& shape,
    Allocator& allocator);
/// Sets all elements to those of `from`, if it is not the same memory.
void copy_all(Tensor& to, const Tensor& from);
/// Sets all elements to the first one of `value`.
void fill_with(Tensor& to, const Tensor& value);
/// Sets all elements to zeros, or empty strings.
void set_zeros(Tensor& to);

}  // namespace troupe::cpu
