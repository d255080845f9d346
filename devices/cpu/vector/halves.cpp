#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/halves.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Bits = hn::Rebind<uint16_t, Floats>;
using WideBits = hn::Rebind<uint32_t, Floats>;

struct OfBfloat16 {
  static HWY_INLINE hn::Vec<Floats> widened(hn::Vec<Bits> bits) {
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(WideBits(), bits)));
  }

  /// Rounds to the nearest, of two to the even one. NaN could become infinity by that.
  static HWY_INLINE hn::Vec<Bits> narrowed(hn::Vec<Floats> x) {
    const WideBits d;
    const auto bits = hn::BitCast(d, x);
    const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(is_odd, hn::Set(d, 0x7fffu))));
    const auto sign = hn::ShiftLeft<15>(hn::ShiftRight<31>(bits));
    const auto nan = hn::Or(sign, hn::Set(d, 0x7fc0u));
    const auto result = hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(x)), nan, rounded);
    return hn::DemoteTo(Bits(), hn::BitCast(hn::Rebind<int32_t, Floats>(), result));
  }
};

// Before AVX2 there is no instruction for them.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define TROUPE_VECTOR_HAS_FLOAT16 1
struct OfFloat16 {
  using Halves = hn::Rebind<hwy::float16_t, Floats>;
  static HWY_INLINE hn::Vec<Floats> widened(hn::Vec<Bits> bits) {
    return hn::PromoteTo(Floats(), hn::BitCast(Halves(), bits));
  }
  static HWY_INLINE hn::Vec<Bits> narrowed(hn::Vec<Floats> x) {
    return hn::BitCast(Bits(), hn::DemoteTo(Halves(), x));
  }
};
#else
#define TROUPE_VECTOR_HAS_FLOAT16 0
#endif

template <class Format>
void widen(void* out, const void* x, int64_t count) {
  const auto lanes = lanes_of(Floats());
  auto* to = static_cast<float*>(out);
  const auto* from = static_cast<const uint16_t*>(x);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(Format::widened(hn::LoadU(Bits(), from + i)), Floats(), to + i);
  if (i < count) {
    const auto some = load_some(Bits(), from + i, count - i);
    store_some(Format::widened(some), Floats(), to + i, count - i);
  }
}

template <class Format>
void narrow(void* out, const void* x, int64_t count) {
  const auto lanes = lanes_of(Floats());
  auto* to = static_cast<uint16_t*>(out);
  const auto* from = static_cast<const float*>(x);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(Format::narrowed(hn::LoadU(Floats(), from + i)), Bits(), to + i);
  if (i < count) {
    const auto some = load_some(Floats(), from + i, count - i);
    store_some(Format::narrowed(some), Bits(), to + i, count - i);
  }
}

UnaryLoop find_half_loop(DType half, bool widens) {
  if (half == DType::bfloat16) return widens ? widen<OfBfloat16> : narrow<OfBfloat16>;
#if TROUPE_VECTOR_HAS_FLOAT16
  if (half == DType::float16) return widens ? widen<OfFloat16> : narrow<OfFloat16>;
#endif
  return nullptr;
}

#undef TROUPE_VECTOR_HAS_FLOAT16

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_half_loop);

UnaryLoop widen_loop(DType half) { return HWY_DYNAMIC_DISPATCH(find_half_loop)(half, true); }
UnaryLoop narrow_loop(DType half) { return HWY_DYNAMIC_DISPATCH(find_half_loop)(half, false); }

}  // namespace troupe::cpu::vector
#endif
