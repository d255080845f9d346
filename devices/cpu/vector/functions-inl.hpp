// As loops-inl.hpp: functions of vectors.
#if defined(TROUPE_VECTOR_FUNCTIONS) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_FUNCTIONS
#undef TROUPE_VECTOR_FUNCTIONS
#else
#define TROUPE_VECTOR_FUNCTIONS
#endif

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Added to a float of few digits, it leaves the nearest whole number in the last bits.
constexpr float whole_in_last_bits = 12582912.0f;

/// Highway's function neither keeps NaN nor takes numbers whose result is far beyond the largest.
template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  using T = hn::TFromD<D>;
  const auto overflows = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 100 : 720));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, hn::Min(overflows, x)));
}

template <class D, class V>
HWY_INLINE V log_of(D d, V x) {
  using Limits = std::numeric_limits<hn::TFromD<D>>;
  const auto zero = hn::Zero(d), infinity = hn::Set(d, Limits::infinity());
  const auto is_number = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
  const auto of_negative =
      hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::Set(d, Limits::quiet_NaN()));
  const auto otherwise = hn::IfThenElse(hn::Eq(x, infinity), x, of_negative);
  return hn::IfThenElse(is_number, hn::Log(d, x), otherwise);
}

/// Correctly rounded. AVX-512's estimate has 14 bits of a float's inverse root: one of Newton's
/// steps doubles them, and what the root's square leaves of x ends the rounding. Of each float from
/// the least one here to the greatest this is what the instruction for roots returns, in less time.
template <class D, class V>
HWY_INLINE V sqrt_of(D d, V x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const auto least = hn::Set(d, 0x1p-102f), half = hn::Set(d, 0.5f);
    const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    if (!hn::AllTrue(d, hn::And(hn::Ge(x, least), hn::Lt(x, infinity)))) return hn::Sqrt(x);
    const auto inverse = hn::ApproximateReciprocalSqrt(x);
    const auto estimate = hn::Mul(x, inverse), half_inverse = hn::Mul(half, inverse);
    const auto error = hn::NegMulAdd(estimate, half_inverse, half);
    const auto root = hn::MulAdd(estimate, error, estimate);
    return hn::MulAdd(
        hn::NegMulAdd(root, root, x), hn::MulAdd(half_inverse, error, half_inverse), root);
  }
#endif
  (void)d;
  return hn::Sqrt(x);
}

/// The polynomial of degree N - 1, by Horner's rule.
template <class D, class V, class T, size_t N>
HWY_INLINE V polynomial_of(D d, V x, const T (&coefficients)[N]) {
  auto sum = hn::Set(d, coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  return sum;
}

/// The nearest whole number of x * factor in the last bits, for results of few digits.
template <class D, class V>
HWY_INLINE V to_whole_bits(D d, V x, float factor) {
  return hn::MulAdd(x, hn::Set(d, factor), hn::Set(d, whole_in_last_bits));
}

/// 2^n of what to_whole_bits returned for n, from -126 to 127.
template <class D, class V>
HWY_INLINE V power_of_two(D d, V whole) {
  const hn::RebindToUnsigned<D> bits;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(bits, whole));
  return hn::BitCast(d, hn::Add(exponent, hn::BitCast(bits, hn::Set(d, 1.0f))));
}

/// e^x of numbers up to 0; of one below the smallest normal number it is 0. With x = n * ln(2) + r
/// it is 2^n * e^r. A softmax of it is within 2.5 units in the last place of that of its greatest
/// element, as the tests of vectors check.
template <class D, class V>
HWY_INLINE V exp_of_negative_floats(D d, V x) {
  // (e^r - 1 - r) / r^2 for |r| up to ln(2) / 2, interpolated at Chebyshev's nodes.
  constexpr float coefficients[] = {0.5f, 0.16666576f, 0.041666467f, 0.008363175f, 0.0013933644f};
  constexpr float log2_of_e = 1.44269504f;
  // ln(2): the first part has so few digits that its products are exact.
  constexpr float ln2 = 0.693359375f, ln2_rest = -2.12194440e-4f;
  constexpr float least = -87.33654f;  // -126 * ln(2)
  const auto whole = to_whole_bits(d, x, log2_of_e);
  const auto n = hn::Sub(whole, hn::Set(d, whole_in_last_bits));
  const auto of_first = hn::NegMulAdd(n, hn::Set(d, ln2), x);
  const auto r = hn::NegMulAdd(n, hn::Set(d, ln2_rest), of_first);
  const auto square = hn::Mul(r, r);
  const auto m = hn::MulAdd(square, polynomial_of(d, r, coefficients), r);
  const auto power = hn::Mul(power_of_two(d, whole), hn::Add(m, hn::Set(d, 1.0f)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, least)), power);  // keeps NaN
}

/// e^x of numbers up to 0, of which results that are not normal may be 0.
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) return exp_of_negative_floats(d, x);
  else return exp_of(d, x);
}

/// Of |x| = n * ln(2) / 2 + r with a whole n as m / (m + 2), where m = e^2|x| - 1 is of 2^n and of
/// e^2r - 1, a polynomial: one division, and no cancellation near 0. Within 2.5 units in the last
/// place, with and without fused products.
template <class D, class V>
HWY_INLINE V tanh_of_floats(D d, V x) {
  // (e^2r - 1 - 2r) / r^2 for |r| up to ln(2) / 4, with the least largest error of e^2r - 1.
  constexpr float coefficients[] = {2.0f,        1.3333333f,  0.66666174f,
                                    0.26666847f, 0.08922061f, 0.025402732f};
  constexpr float exponent_step = 0.34657359f;  // ln(2) / 2
  constexpr float steps_per_one = 2.88539008f;
  constexpr float largest = 9.02f;  // of larger ones it is 1
  const auto one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f), cap = hn::Set(d, largest);
  const auto size = hn::Abs(x);
  const auto y = hn::IfThenElse(hn::Gt(size, cap), cap, size);  // keeps NaN
  const auto whole = to_whole_bits(d, y, steps_per_one);
  const auto n = hn::Sub(whole, hn::Set(d, whole_in_last_bits));
  const auto r = hn::NegMulAdd(n, hn::Set(d, exponent_step), y);
  const auto power_less_one =
      hn::MulAdd(hn::Mul(r, r), polynomial_of(d, r, coefficients), hn::Add(r, r));
  const auto scale = power_of_two(d, whole);
  const auto m = hn::MulAdd(scale, power_less_one, hn::Sub(scale, one));
  return hn::CopySign(hn::Div(m, hn::Add(m, two)), x);
}

/// (tanh(x) / x - 1) / x^2 for |x| up to 5/8, of x^2: interpolated at Chebyshev's nodes.
template <class D, class V>
HWY_INLINE V tanh_factor(D d, V square) {
  constexpr double coefficients[] = {
      -0.3333333333333333,    0.13333333333333042,   -0.05396825396789699,   0.021869488519008305,
      -0.008863235103240878,  0.0035921217511549622, -0.0014557754120478055, 0.0005896606577757043,
      -0.0002375906496055562, 9.257116129556769e-05, -3.12011014257974e-05,  6.485163482793113e-06};
  return polynomial_of(d, square, coefficients);
}

template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) return tanh_of_floats(d, x);
  else {
    const auto one = hn::Set(d, T(1)), two = hn::Set(d, T(2));
    const auto size = hn::Abs(x), square = hn::Mul(x, x);
    const auto near = hn::MulAdd(hn::Mul(size, square), tanh_factor(d, square), size);
    const auto far = hn::Sub(one, hn::Div(two, hn::Add(exp_of(d, hn::Add(size, size)), one)));
    const auto is_near = hn::Lt(size, hn::Set(d, T(0.625)));
    return hn::CopySign(hn::IfThenElse(is_near, near, far), x);
  }
}

/// Of x below 0 as e^x / (1 + e^x), which overflows nowhere and loses no small result.
template <class D, class V>
HWY_INLINE V sigmoid_of(D d, V x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto power = exp_of(d, hn::Neg(hn::Abs(x)));
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), power, one);
  return hn::Div(numerator, hn::Add(one, power));
}

/// F is a function of a vector. A part of a vector is computed as a whole one is: the same bits.
template <class F, class T>
void compute_some(T* to, const T* from, int64_t count) {
  const hn::ScalableTag<T> d;
  store_some(F{}(d, load_some(d, from, count)), d, to, count);
}

template <class F, class T, bool streams>
void compute_function(void* out, const void* x, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = lanes_of(d);
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(x);
  int64_t i = streams ? count_unaligned(d, to, count) : 0;
  if (i > 0) compute_some<F>(to, from, i);
  for (; i + lanes <= count; i += lanes) {
    const auto y = F{}(d, hn::LoadU(d, from + i));
    if constexpr (streams) hn::Stream(y, d, to + i);
    else hn::StoreU(y, d, to + i);
  }
  if (i < count) compute_some<F>(to + i, from + i, count - i);
  if constexpr (streams) hwy::FlushStream();
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
