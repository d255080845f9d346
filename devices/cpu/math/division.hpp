#pragma once

#include <algorithm>
#include <atomic>

#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {

/// x / y, which for integers is rounded towards 0 and wraps around where it overflows.
inline constexpr auto divide = [](auto x, auto y) {
  using T = decltype(x);
  // The least integer divided by -1 would trap.
  if constexpr (is_number<T> && std::is_signed_v<T>) {
    if (y == -1) return static_cast<T>(wrap(T{}) - wrap(x));
    // Processors divide small numbers sooner.
    if constexpr (sizeof(T) == 8)
      if (((static_cast<uint64_t>(x) | static_cast<uint64_t>(y)) >> 32) == 0)
        return static_cast<T>(static_cast<uint32_t>(x) / static_cast<uint32_t>(y));
    // Doubles hold the operands, and no quotient that is not whole comes near one that is: the same
    // number, of several elements at a time.
    if constexpr (sizeof(T) <= 4) return static_cast<T>(static_cast<double>(x) / y);
    else return static_cast<T>(x / y);
  } else {
    return x / y;
  }
};

template <class T, class F>
bool any_element(const Tensor& tensor, F is_bad) {
  const auto* elements = tensor.data<T>();
  std::atomic<bool> found = false;
  parallel_ranges(tensor.elements(), 1, [&](int64_t begin, int64_t end) {
    bool any = false;
    for (auto i = begin; i < end; ++i) any |= is_bad(elements[i]);
    if (any) found.store(true, std::memory_order_relaxed);
  });
  return found;
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

/// As division(), for a quotient that vectors of floats have.
template <vector::Arithmetic operation, class Allowed, class F>
KernelCatalog::Make vector_division(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_number<T>) return Kernel{.compute = compute_division<F, T>};
      else return Kernel{.compute = ComputeBinary{arithmetic_elements<operation, F, T>()}};
    });
  };
}

}  // namespace troupe::cpu
