#include "troupe/devices/cpu/vector/transpose/transpose_small.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/transpose/transpose_small.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/transpose/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <class T>
constexpr int64_t block_of = int64_t{1} << 48;  // there are only remainders

template <class T>
void transpose_block(T*, const T*, const Transposed&) {}
#else
/// As many rows and columns as 16 bytes have elements.
template <class T>
constexpr int64_t block_of = 16 / sizeof(T);

/// Each round interleaves the rows of the upper half with those of the lower half, and so moves the
/// first bit of an element's row to the end of its column: after all rounds they have changed
/// places.
template <class T>
HWY_INLINE void transpose_block(T* to, const T* from, const Transposed& of) {
  constexpr auto size = block_of<T>;
  const hn::CappedTag<T, static_cast<size_t>(size)> d;
  hn::Vec<decltype(d)> rows[size], mixed[size];
  for (int64_t r = 0; r < size; ++r) rows[r] = hn::LoadU(d, from + r * of.in_stride);
  for (auto bit = size / 2; bit > 0; bit /= 2) {
    for (int64_t r = 0; r < size / 2; ++r) {
      mixed[2 * r] = hn::InterleaveLower(d, rows[r], rows[r + size / 2]);
      mixed[2 * r + 1] = hn::InterleaveUpper(d, rows[r], rows[r + size / 2]);
    }
    for (int64_t r = 0; r < size; ++r) rows[r] = mixed[r];
  }
  for (int64_t c = 0; c < size; ++c) hn::StoreU(rows[c], d, to + c * of.out_stride);
}
#endif

template <class T>
void transpose_small(const Transposed& of) {
  constexpr auto block = block_of<T>;
  auto* out = static_cast<T*>(of.out);
  const auto* in = static_cast<const T*>(of.in);
  const auto rows = of.rows / block * block, columns = of.columns / block * block;
  for (int64_t c = 0; c < columns; c += block)
    for (int64_t r = 0; r < rows; r += block)
      transpose_block(out + c * of.out_stride + r, in + r * of.in_stride + c, of);
  transpose_scalars(out + rows, in + rows * of.in_stride, of, of.rows - rows, columns);
  transpose_scalars(out + columns * of.out_stride, in + columns, of, of.rows, of.columns - columns);
}

TransposeLoop find_small_transpose_loop(size_t cell_bytes) {
  if (cell_bytes == 1) return transpose_small<uint8_t>;
  if (cell_bytes == 2) return transpose_small<uint16_t>;
  return nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_small_transpose_loop);

TransposeLoop small_transpose_loop(size_t cell_bytes) {
  return HWY_DYNAMIC_DISPATCH(find_small_transpose_loop)(cell_bytes);
}

}  // namespace troupe::cpu::vector
#endif
