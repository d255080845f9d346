// As loops-inl.hpp: what combines two vectors, or two elements.
#if defined(TROUPE_VECTOR_ARITHMETIC) == defined(HWY_TARGET_TOGGLE)
#ifdef TROUPE_VECTOR_ARITHMETIC
#undef TROUPE_VECTOR_ARITHMETIC
#else
#define TROUPE_VECTOR_ARITHMETIC
#endif

#include <hwy/highway.h>

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

template <Arithmetic operation, class D, class V>
HWY_INLINE V combine(D, V x, V y) {
  using T = hn::TFromD<D>;
  if constexpr (operation == Arithmetic::add) return hn::Add(x, y);
  else if constexpr (operation == Arithmetic::sub) return hn::Sub(x, y);
  else if constexpr (operation == Arithmetic::mul) return hn::Mul(x, y);
  else if constexpr (operation == Arithmetic::div) return hn::Div(x, y);
  else if constexpr (operation == Arithmetic::maximum)
    return hn::IfThenElse(or_is_nan<T>(hn::Gt(x, y), x), x, y);
  else return hn::IfThenElse(or_is_nan<T>(hn::Lt(x, y), x), x, y);
}

/// The same of single elements, which have the same bits: each of these operations has but one
/// right result.
template <Arithmetic operation, class T>
T combine_one(T x, T y) {
  if constexpr (operation == Arithmetic::add) return static_cast<T>(wrap(x) + wrap(y));
  else if constexpr (operation == Arithmetic::sub) return static_cast<T>(wrap(x) - wrap(y));
  else if constexpr (operation == Arithmetic::mul) return static_cast<T>(wrap(x) * wrap(y));
  else if constexpr (operation == Arithmetic::div) return x / y;
  else if constexpr (operation == Arithmetic::maximum) return (x > y) | (x != x) ? x : y;
  else return (x < y) | (x != x) ? x : y;
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
