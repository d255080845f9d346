#include "troupe/devices/cpu/vector/channels.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/channels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Elements as doubles.
template <class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const double* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}

// The functions of each struct compute, of all rows, `vectors` vectors of channels, whose numbers
// stay in registers meanwhile.

/// Sums of factor * (x - mean), and of the factor, which is dy or, where that is null, the
/// difference itself.
template <class T>
struct SumProducts {
  double *products, *sums;
  const T *dy, *x;
  const double* means;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, ChannelRows size, int64_t channel) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> product[vectors], sum[vectors], mean[vectors];
    for (int64_t k = 0; k < vectors; ++k) {
      product[k] = hn::LoadU(d, products + channel + k * lanes);
      sum[k] = hn::LoadU(d, sums + channel + k * lanes);
      mean[k] = hn::LoadU(d, means + channel + k * lanes);
    }
    for (int64_t row = 0; row < size.rows; ++row) {
      const auto at = row * size.channels + channel;
      for (int64_t k = 0; k < vectors; ++k) {
        const auto difference = hn::Sub(load_wide(d, x + at + k * lanes), mean[k]);
        const auto factor = dy ? load_wide(d, dy + at + k * lanes) : difference;
        product[k] = hn::Add(product[k], hn::Mul(factor, difference));
        sum[k] = hn::Add(sum[k], factor);
      }
    }
    for (int64_t k = 0; k < vectors; ++k) {
      hn::StoreU(product[k], d, products + channel + k * lanes);
      hn::StoreU(sum[k], d, sums + channel + k * lanes);
    }
  }
};

template <class T>
struct Normalize {
  T* y;
  const T *x, *means, *factors, *offsets;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, ChannelRows size, int64_t channel) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> mean[vectors], factor[vectors], offset[vectors];
    for (int64_t k = 0; k < vectors; ++k) {
      mean[k] = hn::LoadU(d, means + channel + k * lanes);
      factor[k] = hn::LoadU(d, factors + channel + k * lanes);
      offset[k] = hn::LoadU(d, offsets + channel + k * lanes);
    }
    for (int64_t row = 0; row < size.rows; ++row)
      for (int64_t k = 0; k < vectors; ++k) {
        const auto at = row * size.channels + channel + k * lanes;
        const auto difference = hn::Sub(hn::LoadU(d, x + at), mean[k]);
        hn::StoreU(hn::Add(hn::Mul(difference, factor[k]), offset[k]), d, y + at);
      }
  }
};

template <class T>
struct Combine {
  T* dx;
  const T *dy, *x, *scales, *factors, *means, *offsets;

  template <int64_t vectors, class D>
  HWY_INLINE void compute(D d, ChannelRows size, int64_t channel) const {
    const auto lanes = lanes_of(d);
    hn::Vec<D> scale[vectors], factor[vectors], mean[vectors], offset[vectors];
    for (int64_t k = 0; k < vectors; ++k) {
      scale[k] = hn::LoadU(d, scales + channel + k * lanes);
      factor[k] = hn::LoadU(d, factors + channel + k * lanes);
      mean[k] = hn::LoadU(d, means + channel + k * lanes);
      offset[k] = hn::LoadU(d, offsets + channel + k * lanes);
    }
    for (int64_t row = 0; row < size.rows; ++row)
      for (int64_t k = 0; k < vectors; ++k) {
        const auto at = row * size.channels + channel + k * lanes;
        const auto by_dy = hn::Mul(scale[k], hn::LoadU(d, dy + at));
        const auto by_x = hn::Mul(factor[k], hn::Sub(hn::LoadU(d, x + at), mean[k]));
        hn::StoreU(hn::Add(hn::Add(by_dy, by_x), offset[k]), d, dx + at);
      }
  }
};

/// Computes all channels: by blocks of vectors, single vectors, single channels.
template <class T, class F>
HWY_INLINE void each_channels(ChannelRows size, const F& f) {
  constexpr int64_t block = HWY_TARGET <= HWY_AVX3 ? 8 : 4;  // there are registers for it
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = lanes_of(d);
  int64_t c = 0;
  for (; c + block * lanes <= size.channels; c += block * lanes)
    f.template compute<block>(d, size, c);
  for (; c + lanes <= size.channels; c += lanes) f.template compute<1>(d, size, c);
  for (; c < size.channels; ++c) f.template compute<1>(one, size, c);
}

template <class T>
void sum_squares(
    double* squares, double* differences, const void* x, const double* means, ChannelRows size) {
  each_channels<double>(
      size, SumProducts<T>{squares, differences, nullptr, static_cast<const T*>(x), means});
}

template <class T>
void sum_products(
    double* products, double* sums, const void* dy, const void* x, const double* means,
    ChannelRows size) {
  each_channels<double>(
      size,
      SumProducts<T>{products, sums, static_cast<const T*>(dy), static_cast<const T*>(x), means});
}

template <class T>
void normalize(
    void* y, const void* x, const void* means, const void* factors, const void* offsets,
    ChannelRows size) {
  each_channels<T>(
      size, Normalize<T>{
                static_cast<T*>(y), static_cast<const T*>(x), static_cast<const T*>(means),
                static_cast<const T*>(factors), static_cast<const T*>(offsets)});
}

template <class T>
void combine_gradients(
    void* dx, const void* dy, const void* x, const void* scales, const void* factors,
    const void* means, const void* offsets, ChannelRows size) {
  each_channels<T>(
      size, Combine<T>{
                static_cast<T*>(dx), static_cast<const T*>(dy), static_cast<const T*>(x),
                static_cast<const T*>(scales), static_cast<const T*>(factors),
                static_cast<const T*>(means), static_cast<const T*>(offsets)});
}

template <class T>
ChannelLoops find_channel_loops_of() {
  return {sum_squares<T>, sum_products<T>, normalize<T>, combine_gradients<T>};
}

ChannelLoops find_channel_loops(DType dtype) {
  if (dtype == DType::float32) return find_channel_loops_of<float>();
  if (dtype == DType::float64) return find_channel_loops_of<double>();
  return {};
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_channel_loops);

ChannelLoops channel_loops(DType dtype) { return HWY_DYNAMIC_DISPATCH(find_channel_loops)(dtype); }

}  // namespace troupe::cpu::vector
#endif
