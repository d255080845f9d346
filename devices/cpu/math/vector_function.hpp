#pragma once

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {

/// The loop over 16-bit floats of one that is known where the kernel is made.
template <class T, vector::Function function>
void half_function_loop(void* out, const void* x, int64_t count) {
  static const auto loop = vector::function_loop(function, DType::float32);
  unary_by_floats<T>(out, x, count, loop);
}

/// A function of vectors, of floats of any size; `cost`: as in UnaryElements.
template <vector::Function function, class T>
UnaryElements vector_elements(int64_t cost = 1) {
  UnaryElements elements{nullptr, dtype_of<T>(), dtype_of<T>(), cost};
  if constexpr (is_half<T>) {
    elements.loop = half_function_loop<T, function>;
  } else {
    elements.loop = vector::function_loop(function, elements.in);
    elements.streaming = vector::function_loop(function, elements.in, /*streams=*/true);
  }
  return elements;
}

/// As unary(), for a function that vectors of floats have, with the same bits as F.
template <vector::Function function, class Allowed, class F>
KernelCatalog::Make vector_unary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_number<T> || is_complex<T>)
        return Kernel{.compute = ComputeUnary{unary_elements<F, T, T>()}};
      else return Kernel{.compute = ComputeUnary{vector_elements<function, T>()}};
    });
  };
}

}  // namespace troupe::cpu
