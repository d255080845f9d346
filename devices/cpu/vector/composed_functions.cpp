#include "troupe/devices/cpu/vector/composed_functions.hpp"

#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/composed_functions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "troupe/devices/cpu/vector/functions-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Of y = 1 + x, rounded, log(y) x / (y - 1): what y lost is made up for (Kahan).
template <class D, class V>
HWY_INLINE V log1p_of(D d, V x) {
  using Limits = std::numeric_limits<hn::TFromD<D>>;
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto y = hn::Add(x, one), rounded = hn::Sub(y, one);
  const auto factor = hn::Div(x, hn::IfThenElse(hn::Eq(rounded, hn::Zero(d)), one, rounded));
  const auto keeps = hn::Or(hn::Eq(y, one), hn::Eq(x, hn::Set(d, Limits::infinity())));
  return hn::IfThenElse(keeps, x, hn::Mul(log_of(d, y), factor));
}

/// Highway's function neither keeps NaN and the sign of 0 nor takes numbers whose result is far
/// beyond the largest.
template <class D, class V>
HWY_INLINE V expm1_of(D d, V x) {
  using T = hn::TFromD<D>;
  const auto overflows = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 100 : 720));
  const auto least = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? -100 : -720));
  const auto bounded = hn::Max(least, hn::Min(overflows, x));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(hn::Expm1(d, bounded), x));
}

/// Both terms are exact to the last places for every x.
template <class D, class V>
HWY_INLINE V softplus_of(D d, V x) {
  const auto positive = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  return hn::Add(positive, log1p_of(d, exp_of(d, hn::Neg(hn::Abs(x)))));
}

/// Highway's functions are exact up to this size.
constexpr double largest_angle = 30000;

template <bool is_sine, class D, class V>
HWY_INLINE V wave_of_small(D d, V x) {
  if constexpr (is_sine) return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));
  else return hn::Cos(d, x);
}

/// A vector with an angle that is larger takes the time of single ones, which have the same bits
/// wherever they lie.
template <bool is_sine, class D, class V>
HWY_INLINE V wave_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr auto largest = static_cast<T>(largest_angle);
  if (hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, largest)))) return wave_of_small<is_sine>(d, x);
  Buffer<D> buffer;
  hn::Store(x, d, buffer.elements);
  for (int64_t i = 0; i < lanes_of(d); ++i) {
    auto& element = buffer.elements[i];
    if (std::abs(element) <= largest)
      element = hn::GetLane(wave_of_small<is_sine>(d, hn::Set(d, element)));
    else element = is_sine ? std::sin(element) : std::cos(element);
  }
  return hn::Load(d, buffer.elements);
}

template <class D, class V>
HWY_INLINE V atanh_of(D d, V x) {
  using T = hn::TFromD<D>;
  const auto size = hn::Abs(x);
  const auto twice = log1p_of(d, hn::Div(hn::Add(size, size), hn::Sub(hn::Set(d, T(1)), size)));
  return hn::Mul(twice, hn::CopySign(hn::Set(d, T(0.5)), x));
}

// The polynomials below have the least largest error in the result.

/// Up to 1 as x times a polynomial of x^2; beyond as 1 - e^-p, where p is a polynomial of |x|.
template <class D, class V>
HWY_INLINE V erf_of_floats(D d, V x) {
  constexpr float small[] = {1.1283791657568372f,    -0.3761262601708067f,  0.11283586929793434f,
                             -0.026853871662055336f, 0.005188419205337666f, -8.010839553892678e-4f,
                             7.855547762339569e-05f};
  constexpr float large[] = {2.5704892910383137e-4f, 1.127423235846218f,    0.6376054923901209f,
                             0.10356146741420563f,   -0.02204902683721482f, 0.0029986872782686294f,
                             -1.914031257046033e-4f};
  const auto one = hn::Set(d, 1.0f), cap = hn::Set(d, 4.0f);  // of larger ones it is 1
  const auto whole = hn::Abs(x);
  const auto size = hn::IfThenElse(hn::Gt(whole, cap), cap, whole);
  const auto near = hn::Mul(x, polynomial_of(d, hn::Mul(x, x), small));
  const auto far = hn::Sub(one, exp_of(d, hn::Neg(polynomial_of(d, size, large))));
  return hn::IfThenElse(hn::Lt(size, one), near, hn::CopySign(far, x));
}

/// From 1/2 on as e^(-x^2) times a polynomial of 1 / (x + 2). The square is that of a number of 12
/// bits, which is exact, and of what that leaves.
template <class D, class V>
HWY_INLINE V erfc_of_floats(D d, V x) {
  constexpr float scaled[] = {3.49579010544554e-06f, 0.5639711795851057f, 1.1343311575584405f,
                              1.8816048005629196f,   3.7432146038251055f, -3.3427774627265663f,
                              25.636617462992568f,   -77.47529910242363f, 89.11372624780454f,
                              -37.71665265294894f};
  const auto one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f), half = hn::Set(d, 0.5f);
  const auto cap = hn::Set(d, 10.5f);  // of larger ones it is 0
  const auto whole = hn::Abs(x);
  const auto size = hn::IfThenElse(hn::Gt(whole, cap), cap, whole);
  const hn::RebindToUnsigned<D> bits;
  const auto high = hn::BitCast(d, hn::And(hn::BitCast(bits, size), hn::Set(bits, 0xfffff000u)));
  const auto rest = hn::Mul(hn::Sub(high, size), hn::Add(high, size));
  const auto factor = polynomial_of(d, hn::Div(one, hn::Add(size, two)), scaled);
  const auto tail =
      hn::Mul(hn::Mul(exp_of(d, hn::Neg(hn::Mul(high, high))), factor), exp_of(d, rest));
  const auto far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(two, tail), tail);
  const auto result = hn::IfThenElse(hn::Lt(size, half), hn::Sub(one, erf_of_floats(d, x)), far);
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

template <Function function>
struct ComposedFunctionOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    if constexpr (function == Function::log1p) return log1p_of(d, x);
    else if constexpr (function == Function::expm1) return expm1_of(d, x);
    else if constexpr (function == Function::softplus) return softplus_of(d, x);
    else if constexpr (function == Function::sin) return wave_of<true>(d, x);
    else if constexpr (function == Function::cos) return wave_of<false>(d, x);
    else if constexpr (function == Function::asin) return hn::Asin(d, x);
    else if constexpr (function == Function::acos) return hn::Acos(d, x);
    else if constexpr (function == Function::atan) return hn::Atan(d, x);
    else if constexpr (function == Function::atanh) return atanh_of(d, x);
    else if constexpr (function == Function::erf) return erf_of_floats(d, x);
    else if constexpr (function == Function::erfc) return erfc_of_floats(d, x);
    else {
      // Klambauer and others, "Self-normalizing neural networks"; Elu's scales are 1.
      constexpr auto is_elu = function == Function::elu;
      const auto below = hn::Set(d, T(is_elu ? 1 : 1.7580993408473768599402175208123));
      const auto above = hn::Set(d, T(is_elu ? 1 : 1.0507009873554804934193349852946));
      const auto is_below = hn::Lt(x, hn::Zero(d));
      return hn::IfThenElse(is_below, hn::Mul(below, expm1_of(d, x)), hn::Mul(above, x));
    }
  }
};

template <Function function>
UnaryLoop find_loop(DType dtype, bool streams) {
  using F = ComposedFunctionOf<function>;
  if (dtype == DType::float32)
    return streams ? compute_function<F, float, true> : compute_function<F, float, false>;
  if constexpr (function != Function::erf && function != Function::erfc)
    if (dtype == DType::float64)
      return streams ? compute_function<F, double, true> : compute_function<F, double, false>;
  return nullptr;
}

UnaryLoop find_composed_loop(Function function, DType dtype, bool streams) {
  switch (function) {
    case Function::log1p: return find_loop<Function::log1p>(dtype, streams);
    case Function::expm1: return find_loop<Function::expm1>(dtype, streams);
    case Function::softplus: return find_loop<Function::softplus>(dtype, streams);
    case Function::elu: return find_loop<Function::elu>(dtype, streams);
    case Function::selu: return find_loop<Function::selu>(dtype, streams);
    case Function::sin: return find_loop<Function::sin>(dtype, streams);
    case Function::cos: return find_loop<Function::cos>(dtype, streams);
    case Function::asin: return find_loop<Function::asin>(dtype, streams);
    case Function::acos: return find_loop<Function::acos>(dtype, streams);
    case Function::atan: return find_loop<Function::atan>(dtype, streams);
    case Function::atanh: return find_loop<Function::atanh>(dtype, streams);
    case Function::erf: return find_loop<Function::erf>(dtype, streams);
    case Function::erfc: return find_loop<Function::erfc>(dtype, streams);
    default: return nullptr;
  }
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(find_composed_loop);

UnaryLoop composed_function_loop(Function function, DType dtype, bool streams) {
  return HWY_DYNAMIC_DISPATCH(find_composed_loop)(function, dtype, streams);
}

}  // namespace troupe::cpu::vector
#endif
