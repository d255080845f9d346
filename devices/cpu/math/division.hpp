#pragma once

#include <algorithm>

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

/// x / y, which for integers is rounded towards 0 and wraps around where it overflows.
inline constexpr auto divide = [](auto x, auto y) {
  using T = decltype(x);
  // The least integer divided by -1 would trap.
  if constexpr (is_number<T> && std::is_signed_v<T>)
    return y == -1 ? static_cast<T>(wrap(T{}) - wrap(x)) : static_cast<T>(x / y);
  else return x / y;
};

template <class T, class F>
bool any_element(const Tensor& tensor, F is_bad) {
  return std::ranges::any_of(tensor.values<T>(), is_bad);
}

template <class F, class T>
Status compute_division(Launch& launch) {
  if (any_element<T>(launch.input(1), [](T y) { return y == T{}; }))
    return invalid_argument("integer division by zero");
  return compute_binary<F, T, T>(launch);
}

/// As binary(), for a quotient or remainder: an integer divided by 0 is an error.
template <class Allowed, class F>
KernelCatalog::Make division(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_number<T>) return Kernel{.compute = compute_division<F, T>};
      else return Kernel{.compute = compute_binary<F, T, T>};
    });
  };
}

}  // namespace troupe::cpu
