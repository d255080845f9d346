#pragma once

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

inline constexpr auto as_it_is = [](auto x) { return x; };

/// Elements of such a function worth a task of their own are fewer than those of a sum.
inline constexpr int64_t function_cost_elements = 8;

/// F on whole Eigen arrays, then Finish on each real element of the result.
template <class F, class Finish, class T>
void function_loop(void* out, const void* x, int64_t count) {
  if constexpr (is_half<T>) {
    unary_by_floats<T>(out, x, count, function_loop<F, Finish, float>);
  } else {
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    auto* result = static_cast<T*>(out);
    Eigen::Map<Array>(result, count) =
        F{}(Eigen::Map<const Array>(static_cast<const T*>(x), count));
    if constexpr (std::is_floating_point_v<T> && !std::is_same_v<Finish, decltype(as_it_is)>)
      apply<Finish>(result, count, static_cast<const T*>(result));
  }
}

/// The kernel of a loop over elements of attribute T's type that each take much more than a sum.
template <class T>
Kernel costly_unary(UnaryLoop loop) {
  UnaryElements elements{loop, dtype_of<T>(), dtype_of<T>(), function_cost_elements};
  return Kernel{.compute = ComputeUnary{elements}, .cost_ns = [](const Launch& launch) {
                  return 2 * launch.input(0).elements();
                }};
}

/// The maker of the kernel of a function that Eigen computes several elements at a time.
template <class F, class Finish = decltype(as_it_is)>
KernelCatalog::Make function(F, Finish = as_it_is) {
  return [](const Node& node) {
    return dispatch(Differentiable{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return costly_unary<T>(function_loop<F, Finish, T>);
    });
  };
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
