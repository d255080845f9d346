#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/arithmetic.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/arithmetic-inl.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// One operand: `step` is 0 where the vector in the buffer stands for all.
template <class T>
struct Operand {
  Buffer<hn::ScalableTag<T>> buffer;
  const T* from;
  int64_t step = 1;

  Operand(const void* elements, bool repeats) : from(static_cast<const T*>(elements)) {
    if (!repeats) return;
    const hn::ScalableTag<T> d;
    hn::Store(hn::Set(d, *from), d, buffer.elements);
    from = buffer.elements;
    step = 0;
  }
  Operand(const Operand&) = delete;

  HWY_INLINE auto load(int64_t i) const { return hn::LoadU(hn::ScalableTag<T>(), from + i * step); }
  T one(int64_t i) const { return from[i * step]; }
};

template <Arithmetic operation, class T, bool streams>
void compute_arithmetic(void* out, const void* x, const void* y, int64_t count, Repeat repeat) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  if (count == 0) return;
  auto* to = static_cast<T*>(out);
  const Operand<T> a(x, repeat == Repeat::x), b(y, repeat == Repeat::y);
  int64_t i = 0;
  for (auto end = streams ? count_unaligned(d, to, count) : 0; i < end; ++i)
    to[i] = combine_one<operation>(a.one(i), b.one(i));
  for (; i + lanes <= count; i += lanes) {
    const auto z = combine<operation>(d, a.load(i), b.load(i));
    if constexpr (streams) hn::Stream(z, d, to + i);
    else hn::StoreU(z, d, to + i);
  }
  for (; i < count; ++i) to[i] = combine_one<operation>(a.one(i), b.one(i));
  if constexpr (streams) hwy::FlushStream();
}

template <class T, bool streams>
ArithmeticLoop find_arithmetic_loop_of(Arithmetic operation) {
  using enum Arithmetic;
  switch (operation) {
    case add: return compute_arithmetic<add, T, streams>;
    case sub: return compute_arithmetic<sub, T, streams>;
    case mul: return compute_arithmetic<mul, T, streams>;
    case maximum: return compute_arithmetic<maximum, T, streams>;
    case minimum: return compute_arithmetic<minimum, T, streams>;
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (operation == div) return compute_arithmetic<div, T, streams>;
    if (operation == floor_div) return compute_arithmetic<floor_div, T, streams>;
    if (operation == atan2) return compute_arithmetic<Arithmetic::atan2, T, streams>;
  }
  return nullptr;
}

template <bool streams>
ArithmeticLoop find_arithmetic_loop_for(Arithmetic operation, DType dtype) {
  if (dtype == DType::float32) return find_arithmetic_loop_of<float, streams>(operation);
  if (dtype == DType::float64) return find_arithmetic_loop_of<double, streams>(operation);
  if (dtype == DType::int32) return find_arithmetic_loop_of<int32_t, streams>(operation);
  return nullptr;
}

ArithmeticLoop find_arithmetic_loop(Arithmetic operation, DType dtype, bool streams) {
  return streams ? find_arithmetic_loop_for<true>(operation, dtype)
                 : find_arithmetic_loop_for<false>(operation, dtype);
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_arithmetic_loop);

ArithmeticLoop arithmetic_loop(Arithmetic operation, DType dtype, bool streams) {
  return HWY_DYNAMIC_DISPATCH(find_arithmetic_loop)(operation, dtype, streams);
}

}  // namespace troupe::cpu::vector
#endif
