// As loops-inl.hpp: what combines two vectors, or two elements.
#if defined(TROUPE_VECTOR_ARITHMETIC) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_ARITHMETIC
#undef TROUPE_VECTOR_ARITHMETIC
#else
#define TROUPE_VECTOR_ARITHMETIC
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <type_traits>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether x is the greater one, or the smaller, or NaN, which is to be kept.
template <class T, class V, class M>
HWY_INLINE M or_is_nan(M chosen, V x) {
  if constexpr (std::is_floating_point_v<T>) return hn::Or(chosen, hn::IsNaN(x));
  else return chosen;
}

/// The angle of (x, y), from that of a point of the first eighth with the same distances to the
/// axes. As std::atan2 where a distance is 0, infinite or NaN.
template <class D, class V>
HWY_INLINE V angle_of(D d, V y, V x) {
  using T = hn::TFromD<D>;
  const auto half_turn = hn::Set(d, T(3.14159265358979323846)), zero = hn::Zero(d);
  const auto across = hn::Abs(y), along = hn::Abs(x);
  const auto is_steep = hn::Gt(across, along);
  const auto least = hn::IfThenElse(is_steep, along, across);
  const auto most = hn::IfThenElse(is_steep, across, along);
  // Two distances that are both 0, or both infinite, make no quotient.
  const auto quotient = hn::IfThenElse(
      hn::Eq(most, zero), zero,
      hn::IfThenElse(hn::Eq(least, most), hn::Set(d, T(1)), hn::Div(least, most)));
  const auto flat = hn::Atan(d, quotient);
  const auto upright =
      hn::IfThenElse(is_steep, hn::Sub(hn::Mul(half_turn, hn::Set(d, T(0.5))), flat), flat);
  const auto is_left = hn::Lt(hn::CopySign(hn::Set(d, T(1)), x), zero);
  const auto angle = hn::IfThenElse(is_left, hn::Sub(half_turn, upright), upright);
  const auto is_nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
  return hn::IfThenElse(is_nan, hn::Add(x, y), hn::CopySign(angle, y));
}

template <Arithmetic operation, class D, class V>
HWY_INLINE V combine(D d, V x, V y) {
  using T = hn::TFromD<D>;
  if constexpr (operation == Arithmetic::add) return hn::Add(x, y);
  else if constexpr (operation == Arithmetic::sub) return hn::Sub(x, y);
  else if constexpr (operation == Arithmetic::mul) return hn::Mul(x, y);
  else if constexpr (operation == Arithmetic::div) return hn::Div(x, y);
  else if constexpr (operation == Arithmetic::floor_div) return hn::Floor(hn::Div(x, y));
  else if constexpr (operation == Arithmetic::atan2) return angle_of(d, x, y);
  else if constexpr (operation == Arithmetic::maximum)
    return hn::IfThenElse(or_is_nan<T>(hn::Gt(x, y), x), x, y);
  else return hn::IfThenElse(or_is_nan<T>(hn::Lt(x, y), x), x, y);
}

/// The same of single elements, which have the same bits: each of these operations has but one
/// right result, but for atan2, for which a vector is made.
template <Arithmetic operation, class T>
T combine_one(T x, T y) {
  if constexpr (operation == Arithmetic::add) return static_cast<T>(wrap(x) + wrap(y));
  else if constexpr (operation == Arithmetic::sub) return static_cast<T>(wrap(x) - wrap(y));
  else if constexpr (operation == Arithmetic::mul) return static_cast<T>(wrap(x) * wrap(y));
  else if constexpr (operation == Arithmetic::div) return x / y;
  else if constexpr (operation == Arithmetic::floor_div) return std::floor(x / y);
  else if constexpr (operation == Arithmetic::atan2) {
    const hn::ScalableTag<T> d;
    return hn::GetLane(angle_of(d, hn::Set(d, x), hn::Set(d, y)));
  } else if constexpr (operation == Arithmetic::maximum) return (x > y) | (x != x) ? x : y;
  else return (x < y) | (x != x) ? x : y;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
