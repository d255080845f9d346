#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/search.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

template <bool is_maximum, class T>
bool is_better_one(T x, T y) {
  return is_maximum ? x > y : x < y;
}

template <bool is_maximum, class V>
HWY_INLINE V better(V x, V y) {
  // A comparison with NaN is false, and so the element that is kept is the other one.
  return hn::IfThenElse(is_maximum ? hn::Gt(x, y) : hn::Lt(x, y), x, y);
}

/// The best of the elements, or `worst` where there is nothing better.
template <bool is_maximum, class T>
T find_best(const T* row, int64_t size, T worst) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto a = hn::Set(d, worst), b = a;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    a = better<is_maximum>(hn::LoadU(d, row + i), a);
    b = better<is_maximum>(hn::LoadU(d, row + i + lanes), b);
  }
  Buffer<decltype(d)> buffer;
  hn::Store(better<is_maximum>(a, b), d, buffer.elements);
  auto best = worst;
  for (int64_t lane = 0; lane < lanes; ++lane)
    if (is_better_one<is_maximum>(buffer.elements[lane], best)) best = buffer.elements[lane];
  for (; i < size; ++i)
    if (is_better_one<is_maximum>(row[i], best)) best = row[i];
  return best;
}

template <bool is_maximum, class T>
int64_t find_extreme(const void* elements, int64_t size) {
  using Limits = std::numeric_limits<T>;
  const auto* row = static_cast<const T*>(elements);
  auto worst = is_maximum ? Limits::lowest() : Limits::max();
  if constexpr (Limits::has_infinity) worst = is_maximum ? -Limits::infinity() : Limits::infinity();
  const auto best = find_best<is_maximum>(row, size, worst);
  if (best == worst) return 0;
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  const auto wanted = hn::Set(d, best);
  int64_t i = 0;
  while (i + lanes <= size && hn::AllFalse(d, hn::Eq(hn::LoadU(d, row + i), wanted))) i += lanes;
  while (row[i] != best) ++i;
  return i;
}

template <bool is_maximum>
FindExtreme find_extreme_of(DType dtype) {
  if (dtype == DType::float32) return find_extreme<is_maximum, float>;
  if (dtype == DType::float64) return find_extreme<is_maximum, double>;
  if (dtype == DType::int32) return find_extreme<is_maximum, int32_t>;
  return nullptr;
}

FindExtreme choose_find_extreme(bool is_maximum, DType dtype) {
  return is_maximum ? find_extreme_of<true>(dtype) : find_extreme_of<false>(dtype);
}

int64_t count_greater(const float* row, int64_t size, float than) {
  const hn::ScalableTag<float> d;
  const auto lanes = lanes_of(d);
  const auto threshold = hn::Set(d, than);
  auto finite = hn::FirstN(d, hn::Lanes(d));
  int64_t count = 0, i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::LoadU(d, row + i);
    finite = hn::And(finite, hn::IsFinite(x));
    count += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(x, threshold)));
  }
  auto is_finite = hn::AllTrue(d, finite);
  for (; i < size; ++i) {
    is_finite &= std::abs(row[i]) <= std::numeric_limits<float>::max();
    count += row[i] > than;
  }
  return is_finite ? count : -1;
}

CountGreater choose_count_greater() { return count_greater; }

template <class T>
void find_nonzero(const void* elements, int64_t count, uint64_t* bits) {
  const hn::CappedTag<T, 64> d;
  const auto lanes = lanes_of(d);
  const auto* from = static_cast<const T*>(elements);
  for (; count >= 64; count -= 64, from += 64) {
    uint64_t word = 0;
    for (int64_t i = 0; i < 64; i += lanes) {
      // Not Ne, which is false of NaN.
      const auto is_zero = hn::Eq(hn::LoadU(d, from + i), hn::Zero(d));
      uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, hn::Not(is_zero), bytes);
      uint64_t part;
      std::memcpy(&part, bytes, sizeof part);
      word |= part << i;
    }
    *bits++ = word;
  }
  if (count == 0) return;
  *bits = 0;
  for (int64_t i = 0; i < count; ++i) *bits |= uint64_t{!(from[i] == T{})} << i;
}

FindNonzero choose_find_nonzero(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::int8:
    case DType::uint8: return find_nonzero<uint8_t>;
    case DType::int32:
    case DType::uint32: return find_nonzero<int32_t>;
    case DType::int64:
    case DType::uint64: return find_nonzero<int64_t>;
    case DType::float32: return find_nonzero<float>;
    case DType::float64: return find_nonzero<double>;
    default: return nullptr;
  }
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(choose_find_extreme);
HWY_EXPORT(choose_count_greater);
HWY_EXPORT(choose_find_nonzero);

FindExtreme find_extreme_loop(bool is_maximum, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(choose_find_extreme)(is_maximum, dtype);
}

CountGreater count_greater_loop() { return HWY_DYNAMIC_DISPATCH(choose_count_greater)(); }

FindNonzero find_nonzero_loop(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(choose_find_nonzero)(dtype);
}

}  // namespace troupe::cpu::vector
#endif
