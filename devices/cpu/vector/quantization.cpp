#include "troupe/devices/cpu/vector/quantization.hpp"

#include "troupe/devices/cpu/quantization/quantized_range.hpp"
#include "troupe/devices/cpu/quantization/scaling.hpp"
#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/quantization.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Calls f(d, i) for vectors of elements from i on, and for each that is left over.
template <class T, class F>
HWY_INLINE void each_vector(int64_t count, const F& f) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = lanes_of(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(d, i);
  for (; i < count; ++i) f(one, i);
}

/// NaN stays.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V limited(D d, V x, T low, T high) {
  const auto least = hn::Set(d, low), most = hn::Set(d, high);
  const auto lowered = hn::IfThenElse(hn::Lt(most, x), most, x);
  return hn::IfThenElse(hn::Gt(least, lowered), least, lowered);
}

void quantize(float* out, const float* x, int64_t count, const QuantizedRange& given) {
  const auto range = given;  // that no element written changes
  each_vector<float>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto low = hn::Set(d, range.low), scale = hn::Set(d, range.scale);
    const auto within = limited(d, hn::LoadU(d, x + i), range.low, range.high);
    const auto place = hn::Add(hn::Div(hn::Sub(within, low), scale), hn::Set(d, 0.5f));
    const hn::RebindToSigned<decltype(d)> integers;
    const auto integer = hn::ConvertTo(d, hn::ConvertTo(integers, place));
    const auto number = hn::IfThenElse(hn::IsNaN(place), place, integer);
    hn::StoreU(hn::Mul(hn::Sub(number, hn::Set(d, range.zero)), scale), d, out + i);
  });
}

struct ToEven {
  template <class D>
  HWY_INLINE hn::Vec<D> round(D, hn::Vec<D> x) const {
    return hn::Round(x);
  }
};
struct HalfUp {
  template <class D>
  HWY_INLINE hn::Vec<D> round(D d, hn::Vec<D> x) const {
    return hn::Floor(hn::Add(x, hn::Set(d, hn::TFromD<D>(0.5))));
  }
};

template <class T, class Rounding>
void scale(T* out, const T* x, int64_t count, const Scaling<T>& given) {
  const auto by = given;  // that no element written changes
  each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto within = limited(d, hn::LoadU(d, x + i), by.low, by.high);
    const auto rounded = Rounding().round(d, hn::Mul(within, hn::Set(d, by.scale)));
    hn::StoreU(hn::Mul(rounded, hn::Set(d, by.inverse)), d, out + i);
  });
}

template <class T>
Extremes<T> extremes(const T* x, int64_t count) {
  constexpr int64_t chains = 4;  // each comparison waits for the one before it
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  Extremes<T> found;
  hn::Vec<decltype(d)> least[chains], greatest[chains];
  for (auto& each : least) each = hn::Set(d, found.least);
  for (auto& each : greatest) each = hn::Set(d, found.greatest);
  int64_t i = 0;
  for (; i + chains * lanes <= count; i += chains * lanes)
#pragma GCC unroll 4
    for (int64_t k = 0; k < chains; ++k) {
      const auto next = hn::LoadU(d, x + i + k * lanes);
      least[k] = hn::IfThenElse(hn::Lt(next, least[k]), next, least[k]);
      greatest[k] = hn::IfThenElse(hn::Gt(next, greatest[k]), next, greatest[k]);
    }
#pragma GCC unroll 4
  for (int64_t k = 1; k < chains; ++k) {
    least[0] = hn::Min(least[0], least[k]);
    greatest[0] = hn::Max(greatest[0], greatest[k]);
  }
  found = {hn::GetLane(hn::MinOfLanes(d, least[0])), hn::GetLane(hn::MaxOfLanes(d, greatest[0]))};
  for (; i < count; ++i)
    found = {
        x[i] < found.least ? x[i] : found.least, x[i] > found.greatest ? x[i] : found.greatest};
  return found;
}

QuantizeLoop choose_quantize() { return quantize; }

template <class T>
ScaleLoops<T> choose_scale_of() {
  return {scale<T, ToEven>, scale<T, HalfUp>, extremes<T>};
}
ScaleLoops<float> choose_scale_floats() { return choose_scale_of<float>(); }
ScaleLoops<double> choose_scale_doubles() { return choose_scale_of<double>(); }

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(choose_quantize);
HWY_EXPORT(choose_scale_floats);
HWY_EXPORT(choose_scale_doubles);

QuantizeLoop quantize_loop() { return HWY_DYNAMIC_DISPATCH(choose_quantize)(); }

template <>
ScaleLoops<float> scale_loops<float>() {
  return HWY_DYNAMIC_DISPATCH(choose_scale_floats)();
}
template <>
ScaleLoops<double> scale_loops<double>() {
  return HWY_DYNAMIC_DISPATCH(choose_scale_doubles)();
}

}  // namespace troupe::cpu::vector
#endif
