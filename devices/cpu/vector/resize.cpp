#include "troupe/devices/cpu/vector/resize.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/resize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Elements as floats.
template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const uint8_t* from) {
  const hn::RebindToSigned<D> integers;
  return hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(hn::Rebind<uint8_t, D>(), from)));
}

template <class D>
HWY_INLINE hn::Vec<D> between(hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> share) {
  return hn::Add(a, hn::Mul(hn::Sub(b, a), share));
}

// The functions of each struct compute `vectors` vectors of channels, from one of them on.

/// A pixel between four others.
template <class T>
struct Interpolate {
  const T *top_left, *top_right, *bottom_left, *bottom_right;
  float right, lower;
  float* out;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, int64_t channel) const {
    const auto by_right = hn::Set(d, right), by_lower = hn::Set(d, lower);
    for (int64_t k = 0; k < vectors; ++k, channel += lanes_of(d)) {
      const auto above = between<D>(
          load_floats(d, top_left + channel), load_floats(d, top_right + channel), by_right);
      const auto below = between<D>(
          load_floats(d, bottom_left + channel), load_floats(d, bottom_right + channel), by_right);
      hn::StoreU(between<D>(above, below, by_lower), d, out + channel);
    }
  }
};

/// A weighted sum of pixels, which stays in registers over all of them.
template <class T>
struct SumWeighted {
  const T* from;
  const WeightedPixel *begin, *end;
  int64_t channels;
  float* out;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, int64_t channel) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> sums[vectors];
    for (int64_t k = 0; k < vectors; ++k) sums[k] = hn::Zero(d);
    for (const auto* pixel = begin; pixel != end; ++pixel) {
      const auto* at = from + pixel->pixel * channels + channel;
      const auto weight = hn::Set(d, pixel->weight);
      for (int64_t k = 0; k < vectors; ++k)
        sums[k] = hn::Add(sums[k], hn::Mul(load_floats(d, at + k * lanes), weight));
    }
    for (int64_t k = 0; k < vectors; ++k) hn::StoreU(sums[k], d, out + channel + k * lanes);
  }
};

/// Computes all channels: by blocks of vectors, single vectors, short ones, single channels.
template <class F>
HWY_INLINE void each_channel(int64_t channels, const F& f) {
  constexpr int64_t block = 4;
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 8> half;
  const hn::CappedTag<float, 4> quarter;
  const hn::CappedTag<float, 1> one;
  int64_t c = 0;
  for (; c + block * lanes_of(d) <= channels; c += block * lanes_of(d))
    f.template compute<block>(d, c);
  for (; c + lanes_of(d) <= channels; c += lanes_of(d)) f.template compute<1>(d, c);
  for (; c + lanes_of(half) <= channels; c += lanes_of(half)) f.template compute<1>(half, c);
  for (; c + lanes_of(quarter) <= channels; c += lanes_of(quarter))
    f.template compute<1>(quarter, c);
  for (; c < channels; ++c) f.template compute<1>(one, c);
}

template <class T>
void interpolate(const RowsBetween& rows, float* out) {
  const auto *top = static_cast<const T*>(rows.top), *bottom = static_cast<const T*>(rows.bottom);
  for (int64_t i = 0; i < rows.count; ++i, out += rows.channels) {
    const auto& column = rows.columns[i];
    const auto left = column.lower * rows.channels, right = column.upper * rows.channels;
    each_channel(
        rows.channels,
        Interpolate<T>{
            top + left, top + right, bottom + left, bottom + right, column.share, rows.lower, out});
  }
}

template <class T>
void sum_weighted(const void* from, const WeightedSums& sums, float* out) {
  for (int64_t i = 0; i < sums.count; ++i, out += sums.channels)
    each_channel(
        sums.channels, SumWeighted<T>{
                           static_cast<const T*>(from), sums.pixels + sums.bounds[i],
                           sums.pixels + sums.bounds[i + 1], sums.channels, out});
}

ResizeLoops find_resize_loops(DType dtype) {
  if (dtype == DType::float32) return {interpolate<float>, sum_weighted<float>};
  if (dtype == DType::uint8) return {interpolate<uint8_t>, sum_weighted<uint8_t>};
  return {};
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_resize_loops);

ResizeLoops resize_loops(DType dtype) { return HWY_DYNAMIC_DISPATCH(find_resize_loops)(dtype); }

}  // namespace troupe::cpu::vector
#endif
