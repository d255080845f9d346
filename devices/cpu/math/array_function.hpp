#pragma once

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

inline constexpr auto as_it_is = [](auto x) { return x; };

/// Elements of such a function worth a task of their own are fewer than those of a sum.
inline constexpr int64_t function_cost_elements = 8;

/// F on whole Eigen arrays.
template <class F, class T>
void function_loop(void* out, const void* x, int64_t count) {
  using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
  Eigen::Map<Array>(static_cast<T*>(out), count) =
      F{}(Eigen::Map<const Array>(static_cast<const T*>(x), count));
}

/// The kernel of a loop over elements of attribute T's type that each take much more than a sum.
template <class T>
Kernel costly_unary(UnaryLoop loop) {
  UnaryElements elements{loop, dtype_of<T>(), dtype_of<T>(), function_cost_elements};
  return Kernel{.compute = ComputeUnary{elements}, .cost_ns = [](const Launch& launch) {
                  return 2 * launch.input(0).elements();
                }};
}

/// As unary(), for a function that takes much more time than a sum.
template <class Allowed, class F>
KernelCatalog::Make scalar_function(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return costly_unary<T>(unary_loop<F, T, T>);
    });
  };
}

}  // namespace troupe::cpu
