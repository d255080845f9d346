#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/transpose/transpose.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "troupe/devices/cpu/vector/transpose/transpose-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
template <class T>
using Lanes = hn::CappedTag<T, 64 / sizeof(T)>;

/// Block b of 16 bytes comes from the row that lies b * `stride` further.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, int64_t stride) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    constexpr auto blocks = static_cast<int64_t>(hn::MaxLanes(half) * sizeof(T) / 16);
    return hn::Combine(
        d, load_blocks(half, from + blocks * stride, stride), load_blocks(half, from, stride));
  }
}

template <bool streams, class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> v, D d, T* to) {
  if constexpr (streams) hn::Stream(v, d, to);
  else hn::StoreU(v, d, to);
}

/// Transposes as many rows as a vector has lanes, of 4 columns.
template <bool streams>
HWY_INLINE void transpose_few(uint32_t* out, int64_t to, const uint32_t* in, int64_t from) {
  const Lanes<uint32_t> d;
  const hn::Repartition<uint64_t, decltype(d)> pairs;
  const auto stride = 4 * from;
  const auto row0 = load_blocks(d, in, stride), row1 = load_blocks(d, in + from, stride);
  const auto row2 = load_blocks(d, in + 2 * from, stride);
  const auto row3 = load_blocks(d, in + 3 * from, stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row0, row1));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row0, row1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row2, row3));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row2, row3));
  store<streams>(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, out);
  store<streams>(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, out + to);
  store<streams>(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, out + 2 * to);
  store<streams>(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, out + 3 * to);
}

/// The same of 2 columns.
template <bool streams>
HWY_INLINE void transpose_few(uint64_t* out, int64_t to, const uint64_t* in, int64_t from) {
  const Lanes<uint64_t> d;
  const auto row0 = load_blocks(d, in, 2 * from), row1 = load_blocks(d, in + from, 2 * from);
  store<streams>(hn::InterleaveLower(d, row0, row1), d, out);
  store<streams>(hn::InterleaveUpper(d, row0, row1), d, out + to);
}

/// Line by line of the output: each is complete before the cache may have to drop it.
template <class T, bool streams>
void transpose_blocks(const Transposed& of) {
  constexpr int64_t line = 64 / sizeof(T), few = hn::MaxLanes(Lanes<T>());
  constexpr int64_t block_columns = 16 / sizeof(T);
  auto* out = static_cast<T*>(of.out);
  const auto* in = static_cast<const T*>(of.in);
  const auto rows = of.rows / line * line, columns = of.columns / block_columns * block_columns;
  for (int64_t r = 0; r < rows; r += line)
    for (int64_t c = 0; c < columns; c += block_columns)
      for (int64_t i = r; i < r + line; i += few)
        transpose_few<streams>(
            out + c * of.out_stride + i, of.out_stride, in + i * of.in_stride + c, of.in_stride);
  if constexpr (streams) hwy::FlushStream();
  transpose_scalars(out + rows, in + rows * of.in_stride, of, of.rows - rows, columns);
  transpose_scalars(out + columns * of.out_stride, in + columns, of, of.rows, of.columns - columns);
}

template <class T, bool streams>
void transpose(const Transposed& of) {
  const auto to = reinterpret_cast<uintptr_t>(of.out);
  const auto apart = static_cast<uintptr_t>(of.out_stride) * sizeof(T);
  if (streams && (to | apart) % 64 == 0) transpose_blocks<T, true>(of);
  else transpose_blocks<T, false>(of);
}
#else
template <class T, bool>
void transpose(const Transposed& of) {
  transpose_scalars(static_cast<T*>(of.out), static_cast<const T*>(of.in), of, of.rows, of.columns);
}
#endif

TransposeLoop find_transpose_loop(size_t cell_bytes, bool streams) {
  if (cell_bytes == 4) return streams ? transpose<uint32_t, true> : transpose<uint32_t, false>;
  if (cell_bytes == 8) return streams ? transpose<uint64_t, true> : transpose<uint64_t, false>;
  return nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_transpose_loop);

TransposeLoop transpose_loop(size_t cell_bytes, bool streams) {
  return HWY_DYNAMIC_DISPATCH(find_transpose_loop)(cell_bytes, streams);
}

}  // namespace troupe::cpu::vector
#endif
