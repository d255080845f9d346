// As loops-inl.hpp: functions of vectors.
#if defined(TROUPE_VECTOR_FUNCTIONS) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_FUNCTIONS
#undef TROUPE_VECTOR_FUNCTIONS
#else
#define TROUPE_VECTOR_FUNCTIONS
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

/// The polynomial of degree N - 1, by Horner's rule.
template <class D, class V, class T, size_t N>
HWY_INLINE V polynomial_of(D d, V x, const T (&coefficients)[N]) {
  auto sum = hn::Set(d, coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  return sum;
}

/// (tanh(x) / x - 1) / x^2 for |x| up to 5/8, of x^2: interpolated at Chebyshev's nodes.
template <class D, class V>
HWY_INLINE V tanh_factor(D d, V square) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    constexpr float coefficients[] = {-0.3333333317214036f,  0.1333330355691574f,
                                      -0.05395925957720454f, 0.02176891865102821f,
                                      -0.00834394551583915f, 0.002292744816178142f};
    return polynomial_of(d, square, coefficients);
  } else {
    constexpr double coefficients[] = {
        -0.3333333333333333,    0.13333333333333042,   -0.05396825396789699,
        0.021869488519008305,   -0.008863235103240878, 0.0035921217511549622,
        -0.0014557754120478055, 0.0005896606577757043, -0.0002375906496055562,
        9.257116129556769e-05,  -3.12011014257974e-05, 6.485163482793113e-06};
    return polynomial_of(d, square, coefficients);
  }
}

template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  using T = hn::TFromD<D>;
  const auto one = hn::Set(d, T(1)), two = hn::Set(d, T(2));
  const auto size = hn::Abs(x), square = hn::Mul(x, x);
  const auto near = hn::MulAdd(hn::Mul(size, square), tanh_factor(d, square), size);
  const auto far = hn::Sub(one, hn::Div(two, hn::Add(exp_of(d, hn::Add(size, size)), one)));
  const auto is_near = hn::Lt(size, hn::Set(d, T(0.625)));
  return hn::CopySign(hn::IfThenElse(is_near, near, far), x);
}

/// Of x below 0 as e^x / (1 + e^x), which overflows nowhere and loses no small result.
template <class D, class V>
HWY_INLINE V sigmoid_of(D d, V x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto power = exp_of(d, hn::Neg(hn::Abs(x)));
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), power, one);
  return hn::Div(numerator, hn::Add(one, power));
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
