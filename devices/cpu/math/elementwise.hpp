#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_complex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

/// What an operation on an element computes with: 16-bit floats as float, all else as it is.
template <class T>
decltype(auto) promote(const T& value) {
  if constexpr (is_half<T>) return static_cast<float>(value);
  else return (value);
}
template <class T>
using Promoted = std::remove_cvref_t<decltype(promote(std::declval<const T&>()))>;

/// An integer as an unsigned one, so that arithmetic wraps around where it overflows.
template <class T>
auto wrap(T value) {
  if constexpr (is_number<T> && sizeof(T) < 8) return static_cast<uint32_t>(value);
  else if constexpr (is_number<T>) return static_cast<uint64_t>(value);
  else return value;
}

/// An operand with one value for every element.
template <class T>
struct Repeated {
  T value;  // a copy, which no write to the result can change
  const T& operator[](int64_t) const { return value; }
};

/// out[i] = F(operands[i]...), on promoted elements. Not inlined: one loop for all its callers.
template <class F, class Out, class... Operands>
[[gnu::noinline]] void apply(Out* out, int64_t count, Operands... operands) {
// An operand's memory may be the result's, but then element i lies where element i is written.
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Out>(F{}(promote(operands[i])...));
}

/// Computes `count` elements of the result from those of an operand, of types known to its maker.
using UnaryLoop = void (*)(void* out, const void* x, int64_t count);

/// The operand, if any, whose first element stands for all.
enum class Repeat : uint8_t { none, x, y };
/// As UnaryLoop, with two operands of one type.
using BinaryLoop = void (*)(void* out, const void* x, const void* y, int64_t count, Repeat repeat);

/// 16-bit floats are widened and narrowed in blocks, for loops over floats.
template <class T>
void unary_by_floats(void* out, const void* x, int64_t count, UnaryLoop loop);
/// The result of `loop` are floats to be narrowed, or flags.
template <class T>
void binary_by_floats(
    void* out, const void* x, const void* y, int64_t count, Repeat repeat, BinaryLoop loop,
    bool is_predicate);
/// Floats as 16-bit floats, and the other way round.
template <class T>
void narrow(T* out, const float* in, int64_t count);
template <class T>
void widen(float* out, const T* in, int64_t count);

template <class F, class T, class Out>
void unary_loop(void* out, const void* x, int64_t count) {
  if constexpr (is_half<T> && std::is_same_v<T, Out>)
    unary_by_floats<T>(out, x, count, unary_loop<F, float, float>);
  else apply<F>(static_cast<Out*>(out), count, static_cast<const T*>(x));
}

template <class F, class T, class Out>
void binary_loop(void* out, const void* x, const void* y, int64_t count, Repeat repeat) {
  if constexpr (is_half<T>) {
    using Wide = std::conditional_t<is_half<Out>, float, Out>;
    binary_by_floats<T>(
        out, x, y, count, repeat, binary_loop<F, float, Wide>, std::is_same_v<Out, bool>);
  } else {
    auto* to = static_cast<Out*>(out);
    const auto *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
    if (repeat == Repeat::x) apply<F>(to, count, Repeated<T>{*a}, b);
    else if (repeat == Repeat::y) apply<F>(to, count, a, Repeated<T>{*b});
    else apply<F>(to, count, a, b);
  }
}

/// What a walk over tensors, which is compiled once, needs to know of their elements.
struct UnaryElements {
  UnaryLoop loop = nullptr;
  DType in, out;
  int64_t cost = 1;               // in elements of a cheap operation
  UnaryLoop streaming = nullptr;  // a loop that writes past the caches, where there is one
};
struct BinaryElements {
  BinaryLoop loop = nullptr;
  DType in, out;
  int64_t cost = 1;  // as of UnaryElements
  BinaryLoop streaming = nullptr;
};

template <class F, class T, class Out>
constexpr UnaryElements unary_elements() {
  return {.loop = unary_loop<F, T, Out>, .in = dtype_of<T>(), .out = dtype_of<Out>()};
}
template <class F, class T, class Out>
constexpr BinaryElements binary_elements() {
  return {.loop = binary_loop<F, T, Out>, .in = dtype_of<T>(), .out = dtype_of<Out>()};
}

/// A result that the caches cannot keep is written past them.
Status compute_unary(Launch& launch, const UnaryElements& elements);
/// As compute_unary(). Broadcasts the operands together.
Status compute_binary(Launch& launch, const BinaryElements& elements);
/// As compute_binary, for operands of one shape.
Status compute_pairwise(Launch& launch, const BinaryElements& elements);

/// Sets output 0 to the sum of all inputs, which must have one shape.
Status compute_add_n(Launch& launch, const BinaryElements& add);

/// Sum and difference of two operands, where they are numbers; else without a loop.
BinaryElements addition(DType dtype);
BinaryElements subtraction(DType dtype);

template <class F, class T, class Out>
Status compute_unary(Launch& launch) {
  return compute_unary(launch, unary_elements<F, T, Out>());
}
template <class F, class T, class Out>
Status compute_binary(Launch& launch) {
  return compute_binary(launch, binary_elements<F, T, Out>());
}

/// What two operands are to each other: what both are broadcast to, two of one shape, or rows and a
/// bias for each column.
enum class Operands : uint8_t { broadcast, pairwise, biased };

/// Kernel::compute of element-wise kernels: of types by which a fused kernel knows them
/// (fused.cpp).
struct ComputeUnary {
  UnaryElements elements;

  Status operator()(Launch& launch) const { return compute_unary(launch, elements); }
};
struct ComputeBinary {
  BinaryElements elements;
  Operands operands = Operands::broadcast;
  Status (*compute)(Launch&, const BinaryElements&) = compute_binary;

  Status operator()(Launch& launch) const { return compute(launch, elements); }
};

/// The maker of an element-wise kernel for those types of attribute T; F is a lambda that captures
/// nothing.
template <class Allowed, class F>
KernelCatalog::Make unary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = ComputeUnary{unary_elements<F, T, T>()}};
    });
  };
}

/// As unary(), with two operands that are broadcast together.
template <class Allowed, class F>
KernelCatalog::Make binary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = ComputeBinary{binary_elements<F, T, T>()}};
    });
  };
}

/// As binary(), with two operands of one shape.
template <class Allowed, class F>
KernelCatalog::Make pairwise(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute =
              ComputeBinary{binary_elements<F, T, T>(), Operands::pairwise, compute_pairwise}};
    });
  };
}

/// As binary(), with a bool for each pair.
template <class Allowed, class F>
KernelCatalog::Make comparison(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_binary<F, decltype(zero), bool>};
    });
  };
}

}  // namespace troupe::cpu
