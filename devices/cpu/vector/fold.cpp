#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/fold.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/arithmetic-inl.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// So many parts of a row are folded side by side, whatever the size of a vector: the result has
/// the same bits on every processor.
template <class T>
constexpr int64_t parts_of = 128 / sizeof(T);

/// As far ahead rows are asked of memory: a processor's own prefetching ends with each page.
constexpr int64_t bytes_ahead = 2048;

/// Folds the first elements of the row, a multiple of its parts, each onto one of `parts`.
template <Arithmetic operation, class T>
void fold_parts(T* parts, const T* row, int64_t size) {
  const hn::CappedTag<T, static_cast<size_t>(parts_of<T>)> d;
  constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(decltype(d)()));
  constexpr auto at_once = std::min<int64_t>(8, parts_of<T> / lanes);
  for (int64_t first = 0; first < parts_of<T>; first += at_once * lanes) {
    hn::Vec<decltype(d)> folded[at_once];
    for (int64_t k = 0; k < at_once; ++k) folded[k] = hn::LoadU(d, row + first + k * lanes);
    for (auto i = parts_of<T>; i < size; i += parts_of<T>)
      for (int64_t k = 0; k < at_once; ++k) {
        const auto* at = row + i + first + k * lanes;
        hwy::Prefetch(at + bytes_ahead / static_cast<int64_t>(sizeof(T)));
        folded[k] = combine<operation>(d, folded[k], hn::LoadU(d, at));
      }
    for (int64_t k = 0; k < at_once; ++k) hn::StoreU(folded[k], d, parts + first + k * lanes);
  }
}

template <Arithmetic operation, class T>
void fold_row(void* out, const void* elements, int64_t size) {
  auto* to = static_cast<T*>(out);
  const auto* row = static_cast<const T*>(elements);
  constexpr auto count = parts_of<T>;
  if (size < count) {
    for (int64_t i = 0; i < size; ++i) *to = combine_one<operation>(*to, row[i]);
    return;
  }
  alignas(64) T parts[count];
  const auto even = size / count * count;
  fold_parts<operation>(parts, row, even);
  for (auto i = even; i < size; ++i)
    parts[i - even] = combine_one<operation>(parts[i - even], row[i]);
  for (auto half = count / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i) parts[i] = combine_one<operation>(parts[i], parts[i + half]);
  *to = combine_one<operation>(*to, parts[0]);
}

template <Arithmetic operation, class T>
void fold_each(void* out, const void* elements, int64_t size) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(elements);
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    hn::StoreU(combine<operation>(d, hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  for (; i < size; ++i) to[i] = combine_one<operation>(to[i], from[i]);
}

/// Rows that are folded side by side: each fold waits for the one before it.
constexpr int64_t chains = 4;

/// Columns [begin, size) of rows, as many at a time as the vectors have lanes.
template <Arithmetic operation, class D, class T = hn::TFromD<D>>
HWY_INLINE int64_t
fold_columns(D d, T* to, const T* from, int64_t count, int64_t size, int64_t begin) {
  const auto lanes = lanes_of(d);
  for (; begin + lanes <= size; begin += lanes) {
    auto load = [&](int64_t row) { return hn::LoadU(d, from + row * size + begin); };
    hn::Vec<D> folded[chains];
    int64_t row = 0;
    folded[0] = hn::LoadU(d, to + begin);
    if (count >= chains) {
      folded[0] = combine<operation>(d, folded[0], load(row++));
#pragma GCC unroll 4
      for (int64_t k = 1; k < chains; ++k) folded[k] = load(row++);
      for (; row + chains <= count; row += chains)
#pragma GCC unroll 4
        for (int64_t k = 0; k < chains; ++k)
          folded[k] = combine<operation>(d, folded[k], load(row + k));
#pragma GCC unroll 4
      for (int64_t k = 1; k < chains; ++k) folded[0] = combine<operation>(d, folded[0], folded[k]);
    }
    for (; row < count; ++row) folded[0] = combine<operation>(d, folded[0], load(row));
    hn::StoreU(folded[0], d, to + begin);
  }
  return begin;
}

template <Arithmetic operation, class T>
void fold_rows(void* out, const void* elements, int64_t count, int64_t size) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(elements);
  // Long rows are read in order.
  constexpr int64_t long_row = 1024 / sizeof(T);
  if (size == 1) return fold_row<operation, T>(out, elements, count);
  if (size > long_row) {
    for (int64_t row = 0; row < count; ++row) fold_each<operation, T>(to, from + row * size, size);
    return;
  }
  auto begin = fold_columns<operation>(hn::ScalableTag<T>(), to, from, count, size, 0);
  begin = fold_columns<operation>(hn::CappedTag<T, 4>(), to, from, count, size, begin);
  for (int64_t row = 0; row < count; ++row)
    for (auto i = begin; i < size; ++i) to[i] = combine_one<operation>(to[i], from[row * size + i]);
}

template <Arithmetic operation, class T>
FoldLoops loops_of() {
  return {fold_row<operation, T>, fold_each<operation, T>, fold_rows<operation, T>};
}

template <Arithmetic operation>
FoldLoops find_fold_loops_of(DType dtype) {
  if (dtype == DType::float32) return loops_of<operation, float>();
  if (dtype == DType::float64) return loops_of<operation, double>();
  if (dtype == DType::int32) return loops_of<operation, int32_t>();
  return {};
}

FoldLoops find_fold_loops(Arithmetic operation, DType dtype) {
  if (operation == Arithmetic::add) return find_fold_loops_of<Arithmetic::add>(dtype);
  if (operation == Arithmetic::maximum) return find_fold_loops_of<Arithmetic::maximum>(dtype);
  if (operation == Arithmetic::minimum) return find_fold_loops_of<Arithmetic::minimum>(dtype);
  return {};
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE int64_t
sum_windows(D d, T* to, const T* from, int64_t count, int64_t width, int64_t begin) {
  const auto lanes = lanes_of(d);
  for (; begin + lanes <= count; begin += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t i = 0; i < width; ++i) sum = hn::Add(sum, hn::LoadU(d, from + begin + i));
    hn::StoreU(sum, d, to + begin);
  }
  return begin;
}

template <class T>
void add_windows(void* out, const void* values, int64_t count, int64_t width) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(values);
  const auto begin = sum_windows(hn::ScalableTag<T>(), to, from, count, width, 0);
  sum_windows(hn::CappedTag<T, 1>(), to, from, count, width, begin);
}

WindowSums find_window_sums(DType dtype) {
  if (dtype == DType::float32) return add_windows<float>;
  return dtype == DType::float64 ? add_windows<double> : nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_fold_loops);
HWY_EXPORT(find_window_sums);

FoldLoops fold_loops(Arithmetic operation, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_fold_loops)(operation, dtype);
}

WindowSums window_sums(DType dtype) { return HWY_DYNAMIC_DISPATCH(find_window_sums)(dtype); }

}  // namespace troupe::cpu::vector
#endif
