#pragma once

#include "troupe/devices/cpu/math/array_function.hpp"
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

/// As vector_unary(), for one that takes much more time than a sum. F is for complex numbers alone.
template <vector::Function function, class Allowed, class F>
KernelCatalog::Make costly_vector_unary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex<T>) return costly_unary<T>(unary_loop<F, T, T>);
      else
        return Kernel{
            .compute = ComputeUnary{vector_elements<function, T>(function_cost_elements)},
            .cost_ns = costly_unary<T>(nullptr).cost_ns};
    });
  };
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

/// As half_function_loop().
template <class T, vector::Arithmetic operation>
void half_arithmetic_loop(void* out, const void* x, const void* y, int64_t count, Repeat repeat) {
  static const auto loop = vector::arithmetic_loop(operation, DType::float32);
  binary_by_floats<T>(out, x, y, count, repeat, loop, /*is_predicate=*/false);
}

/// How vectors of T, or else its elements, by F, are combined.
template <vector::Arithmetic operation, class F, class T>
BinaryElements arithmetic_elements() {
  auto elements = binary_elements<F, T, T>();
  if constexpr (is_half<T>) elements.loop = half_arithmetic_loop<T, operation>;
  else if (auto loop = vector::arithmetic_loop(operation, elements.in)) {
    elements.loop = loop;
    elements.streaming = vector::arithmetic_loop(operation, elements.in, /*streams=*/true);
  }
  return elements;
}

/// As binary(), for an operation that vectors have.
template <vector::Arithmetic operation, class Allowed, class F>
KernelCatalog::Make vector_binary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = ComputeBinary{arithmetic_elements<operation, F, decltype(zero)>()}};
    });
  };
}

}  // namespace troupe::cpu
