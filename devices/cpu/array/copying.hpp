#pragma once

#include <algorithm>
#include <cstdint>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

/// The most elements that one thread copies at a time.
inline constexpr int64_t copied_piece = 64 * 1024;

/// Calls f(row, first, last) for all of `rows` rows of `size` elements, for long rows piece by
/// piece: on many threads where there is much to do.
template <class F>
void parallel_pieces(int64_t rows, int64_t size, const F& f) {
  if (rows == 0 || size == 0) return;
  if (size <= copied_piece)
    return parallel_ranges(rows, size, [&](int64_t begin, int64_t end) {
      for (auto row = begin; row < end; ++row) f(row, int64_t{0}, size);
    });
  auto pieces = (size + copied_piece - 1) / copied_piece;
  parallel_ranges(rows * pieces, copied_piece, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto first = i % pieces * copied_piece;
      f(i / pieces, first, std::min(size, first + copied_piece));
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

/// Copies what a walk with two operands, to and from, passes. The memory of `to` is no part of
/// that of `from`.
template <class C>
void copy_nest(C* to, const C* from, const LoopNest<2>& nest) {
  if (nest.elements() == 0) return;
  auto size = nest.row_size();
  auto [to_stride, from_stride] = nest.row_strides();
  auto pieces = (size + copied_piece - 1) / copied_piece;
  parallel_ranges(
      nest.rows() * pieces, std::min(size, copied_piece), [&](int64_t begin, int64_t end) {
        nest.each_row(begin / pieces, (end + pieces - 1) / pieces, [&](int64_t row, auto& at) {
          auto first = std::max<int64_t>(begin - row * pieces, 0) * copied_piece;
          auto last = std::min(std::min(end - row * pieces, pieces) * copied_piece, size);
          copy_row(
              to + at[0] + first * to_stride, to_stride, from + at[1] + first * from_stride,
              from_stride, last - first);
        });
      });
}

/// Sets `count` elements to zeros, or empty strings.
template <class C>
void fill_zeros(C* to, int64_t count) {
  parallel_pieces(1, count, [&](int64_t, int64_t first, int64_t last) {
    std::fill(to + first, to + last, C{});
  });
}

}  // namespace troupe::cpu
