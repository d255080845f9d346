#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/fourier.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/fourier.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

template <class V>
struct Numbers {
  V real, imaginary;
};

template <class V>
HWY_INLINE Numbers<V> plus(const Numbers<V>& x, const Numbers<V>& y) {
  return {hn::Add(x.real, y.real), hn::Add(x.imaginary, y.imaginary)};
}
template <class V>
HWY_INLINE Numbers<V> minus(const Numbers<V>& x, const Numbers<V>& y) {
  return {hn::Sub(x.real, y.real), hn::Sub(x.imaginary, y.imaginary)};
}
/// x + factor * y, of a real factor.
template <class V>
HWY_INLINE Numbers<V> plus_scaled(const Numbers<V>& x, V factor, const Numbers<V>& y) {
  return {hn::MulAdd(factor, y.real, x.real), hn::MulAdd(factor, y.imaginary, x.imaginary)};
}
/// x - i * y.
template <class V>
HWY_INLINE Numbers<V> minus_turned(const Numbers<V>& x, const Numbers<V>& y) {
  return {hn::Add(x.real, y.imaginary), hn::Sub(x.imaginary, y.real)};
}
/// x + i * y.
template <class V>
HWY_INLINE Numbers<V> plus_turned(const Numbers<V>& x, const Numbers<V>& y) {
  return {hn::Sub(x.real, y.imaginary), hn::Add(x.imaginary, y.real)};
}
template <class V>
HWY_INLINE Numbers<V> times(const Numbers<V>& x, const Numbers<V>& y) {
  return {
      hn::NegMulAdd(x.imaginary, y.imaginary, hn::Mul(x.real, y.real)),
      hn::MulAdd(x.real, y.imaginary, hn::Mul(x.imaginary, y.real))};
}

template <class D, class V>
HWY_INLINE void transform_two(D, Numbers<V>* x) {
  const auto first = x[0];
  x[0] = plus(first, x[1]);
  x[1] = minus(first, x[1]);
}

template <class D, class V>
HWY_INLINE void transform_three(D d, Numbers<V>* x) {
  using T = hn::TFromD<D>;
  const auto half = hn::Set(d, T(-0.5)), sine = hn::Set(d, T(0.86602540378443864676));
  const auto sum = plus(x[1], x[2]), difference = minus(x[1], x[2]);
  const auto middle = plus_scaled(x[0], half, sum);
  const Numbers<V> turned{hn::Mul(sine, difference.real), hn::Mul(sine, difference.imaginary)};
  x[0] = plus(x[0], sum);
  x[1] = minus_turned(middle, turned);
  x[2] = plus_turned(middle, turned);
}

template <class D, class V>
HWY_INLINE void transform_four(D, Numbers<V>* x) {
  const auto even = plus(x[0], x[2]), even_difference = minus(x[0], x[2]);
  const auto odd = plus(x[1], x[3]), odd_difference = minus(x[1], x[3]);
  x[0] = plus(even, odd);
  x[1] = minus_turned(even_difference, odd_difference);
  x[2] = minus(even, odd);
  x[3] = plus_turned(even_difference, odd_difference);
}

template <class D, class V>
HWY_INLINE void transform_five(D d, Numbers<V>* x) {
  using T = hn::TFromD<D>;
  // Cosines and sines of 72 and 144 degrees.
  const auto c1 = hn::Set(d, T(0.30901699437494742410));
  const auto c2 = hn::Set(d, T(-0.80901699437494742410));
  const auto s1 = hn::Set(d, T(0.95105651629515357212));
  const auto s2 = hn::Set(d, T(0.58778525229247312917));
  const auto a = plus(x[1], x[4]), b = plus(x[2], x[3]);
  const auto c = minus(x[1], x[4]), e = minus(x[2], x[3]);
  const auto one = plus_scaled(plus_scaled(x[0], c1, a), c2, b);
  const auto two = plus_scaled(plus_scaled(x[0], c2, a), c1, b);
  const Numbers<V> zero{hn::Zero(d), hn::Zero(d)};
  const auto turned_one = plus_scaled(plus_scaled(zero, s1, c), s2, e);
  const auto turned_two = plus_scaled(plus_scaled(zero, s2, c), hn::Neg(s1), e);
  x[0] = plus(x[0], plus(a, b));
  x[1] = minus_turned(one, turned_one);
  x[2] = minus_turned(two, turned_two);
  x[3] = plus_turned(two, turned_two);
  x[4] = plus_turned(one, turned_one);
}

template <int radix, class D, class V>
HWY_INLINE void transform(D d, Numbers<V>* x) {
  if constexpr (radix == 2) transform_two(d, x);
  else if constexpr (radix == 3) transform_three(d, x);
  else if constexpr (radix == 4) transform_four(d, x);
  else transform_five(d, x);
}

/// A pass with its pointers, by which vectors are loaded and stored.
template <class T>
struct Lines {
  const T *root_reals, *root_imaginaries, *reals, *imaginaries;
  T *out_reals, *out_imaginaries;

  explicit Lines(const FourierPass& pass)
      : root_reals(static_cast<const T*>(pass.root_reals)),
        root_imaginaries(static_cast<const T*>(pass.root_imaginaries)),
        reals(static_cast<const T*>(pass.reals)),
        imaginaries(static_cast<const T*>(pass.imaginaries)),
        out_reals(static_cast<T*>(pass.out_reals)),
        out_imaginaries(static_cast<T*>(pass.out_imaginaries)) {}

  template <class D>
  HWY_INLINE Numbers<hn::Vec<D>> load(D d, int64_t at) const {
    return {hn::LoadU(d, reals + at), hn::LoadU(d, imaginaries + at)};
  }
  template <class D>
  HWY_INLINE void store(D d, const Numbers<hn::Vec<D>>& x, int64_t at) const {
    hn::StoreU(x.real, d, out_reals + at);
    hn::StoreU(x.imaginary, d, out_imaginaries + at);
  }
};

/// Vectors lie within the stride.
template <int radix, class D>
void pass_along_stride(D d, const FourierPass& pass) {
  using V = hn::Vec<D>;
  const Lines<hn::TFromD<D>> lines(pass);
  const auto groups = pass.groups, stride = pass.stride, lanes = lanes_of(d);
  for (int64_t group = 0; group < groups; ++group) {
    Numbers<V> roots[radix - 1];
    for (int64_t k = 0; k + 1 < radix; ++k)
      roots[k] = {
          hn::Set(d, lines.root_reals[k * groups + group]),
          hn::Set(d, lines.root_imaginaries[k * groups + group])};
    for (int64_t at = 0; at < stride; at += lanes) {
      Numbers<V> x[radix];
      for (int64_t k = 0; k < radix; ++k) x[k] = lines.load(d, (group + groups * k) * stride + at);
      transform<radix>(d, x);
      if (group > 0)  // of the first one all roots are 1
        for (int64_t k = 1; k < radix; ++k) x[k] = times(x[k], roots[k - 1]);
      for (int64_t k = 0; k < radix; ++k) lines.store(d, x[k], (group * radix + k) * stride + at);
    }
  }
}

/// Of stride 1, radix 4: vectors lie along the groups, whose results are interleaved.
template <class D>
void pass_along_groups(D d, const FourierPass& pass) {
  using V = hn::Vec<D>;
  const Lines<hn::TFromD<D>> lines(pass);
  const auto groups = pass.groups, lanes = lanes_of(d);
  for (int64_t group = 0; group < groups; group += lanes) {
    Numbers<V> x[4];
    for (int64_t k = 0; k < 4; ++k) x[k] = lines.load(d, groups * k + group);
    transform<4>(d, x);
    for (int64_t k = 1; k < 4; ++k) {
      const auto at = (k - 1) * groups + group;
      const Numbers<V> root{
          hn::LoadU(d, lines.root_reals + at), hn::LoadU(d, lines.root_imaginaries + at)};
      x[k] = times(x[k], root);
    }
    hn::StoreInterleaved4(
        x[0].real, x[1].real, x[2].real, x[3].real, d, lines.out_reals + group * 4);
    hn::StoreInterleaved4(
        x[0].imaginary, x[1].imaginary, x[2].imaginary, x[3].imaginary, d,
        lines.out_imaginaries + group * 4);
  }
}

template <int radix, class T>
void run_pass(const FourierPass& pass) {
  const hn::ScalableTag<T> whole;
  const hn::CappedTag<T, 4> four;
  const hn::CappedTag<T, 1> one;
  if constexpr (radix == 4)
    if (pass.stride == 1 && pass.groups % lanes_of(whole) == 0)
      return pass_along_groups(whole, pass);
  if (pass.stride % lanes_of(whole) == 0) pass_along_stride<radix>(whole, pass);
  else if (pass.stride % lanes_of(four) == 0) pass_along_stride<radix>(four, pass);
  else pass_along_stride<radix>(one, pass);
}

template <class T>
void split_numbers(void* reals, void* imaginaries, const void* numbers, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto *to_reals = static_cast<T*>(reals), *to_imaginaries = static_cast<T*>(imaginaries);
  const auto* from = static_cast<const T*>(numbers);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, from + 2 * i, real, imaginary);
    hn::StoreU(real, d, to_reals + i);
    hn::StoreU(imaginary, d, to_imaginaries + i);
  }
  for (; i < count; ++i) {
    to_reals[i] = from[2 * i];
    to_imaginaries[i] = from[2 * i + 1];
  }
}

template <class T>
void join_numbers(
    void* numbers, const void* reals, const void* imaginaries, double scale, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto* to = static_cast<T*>(numbers);
  const auto *real = static_cast<const T*>(reals), *imaginary = static_cast<const T*>(imaginaries);
  const auto factor = static_cast<T>(scale);
  const auto factors = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreInterleaved2(
        hn::Mul(hn::LoadU(d, real + i), factors), hn::Mul(hn::LoadU(d, imaginary + i), factors), d,
        to + 2 * i);
  for (; i < count; ++i) {
    to[2 * i] = real[i] * factor;
    to[2 * i + 1] = imaginary[i] * factor;
  }
}

/// Of vectors, whose elements x[k] are at `at`, and those of x[count - k] in reverse.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void join_half(D d, T* to, const Lines<T>& lines, int64_t at, int64_t count) {
  const auto half = hn::Set(d, T(0.5));
  const auto mirrored = count - at - lanes_of(d) + 1;
  const auto x = lines.load(d, at), y = lines.load(d, mirrored);
  const auto y_real = hn::Reverse(d, y.real), y_imaginary = hn::Reverse(d, y.imaginary);
  // The spectrum of the even elements, and that of the odd ones times -i and a root.
  const auto even_real = hn::Mul(hn::Add(x.real, y_real), half);
  const auto even_imaginary = hn::Mul(hn::Sub(x.imaginary, y_imaginary), half);
  const auto odd_real = hn::Mul(hn::Sub(x.real, y_real), half);
  const auto odd_imaginary = hn::Mul(hn::Add(x.imaginary, y_imaginary), half);
  const Numbers<hn::Vec<D>> root{
      hn::LoadU(d, lines.root_reals + at), hn::LoadU(d, lines.root_imaginaries + at)};
  const auto odd = times(root, {odd_imaginary, hn::Neg(odd_real)});
  hn::StoreInterleaved2(
      hn::Add(even_real, odd.real), hn::Add(even_imaginary, odd.imaginary), d, to + 2 * at);
}

template <class T>
void join_half_spectrum(
    void* numbers, const void* reals, const void* imaginaries, const void* root_reals,
    const void* root_imaginaries, int64_t count) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const Lines<T> lines(
      {.root_reals = root_reals,
       .root_imaginaries = root_imaginaries,
       .reals = reals,
       .imaginaries = imaginaries});
  auto* to = static_cast<T*>(numbers);
  int64_t i = 0;
  for (; i + lanes_of(d) <= count; i += lanes_of(d)) join_half(d, to, lines, i, count);
  for (; i < count; ++i) join_half(one, to, lines, i, count);
}

template <class T>
FourierCopies find_fourier_copies_of() {
  return {split_numbers<T>, join_numbers<T>, join_half_spectrum<T>};
}

FourierCopies find_fourier_copies(DType dtype) {
  if (dtype == DType::float32) return find_fourier_copies_of<float>();
  if (dtype == DType::float64) return find_fourier_copies_of<double>();
  return {};
}

template <class T>
FourierLoop find_fourier_loop_of(int radix) {
  if (radix == 2) return run_pass<2, T>;
  if (radix == 3) return run_pass<3, T>;
  if (radix == 4) return run_pass<4, T>;
  if (radix == 5) return run_pass<5, T>;
  return nullptr;
}

FourierLoop find_fourier_loop(int radix, DType dtype) {
  if (dtype == DType::float32) return find_fourier_loop_of<float>(radix);
  if (dtype == DType::float64) return find_fourier_loop_of<double>(radix);
  return nullptr;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_fourier_copies);
HWY_EXPORT(find_fourier_loop);

FourierCopies fourier_copies(DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_fourier_copies)(dtype);
}

FourierLoop fourier_loop(int radix, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(find_fourier_loop)(radix, dtype);
}

}  // namespace troupe::cpu::vector
#endif
