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

template <class F, class T, class Out>
Status compute_unary(Launch& launch) {
  const auto* x = launch.input(0).data<T>();
  auto count = launch.input(0).elements();
  auto out = launch.reuse_or_allocate({0}, dtype_of<Out>(), launch.input(0).shape());
  if (!out) return out.status();
  auto* result = out->template mutable_data<Out>();
  parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
    apply<F>(result + begin, end - begin, x + begin);
  });
  launch.set(0, *std::move(out));
  return {};
}

/// The walk of a binary operation whose shapes differ.
template <class F, class T, class Out>
void apply_broadcast(Out* out, const T* x, const T* y, const LoopNest<2>& nest) {
  auto size = nest.row_size();
  auto [x_stride, y_stride] = nest.row_strides();
  parallel_ranges(nest.rows(), size, [&](int64_t begin, int64_t end) {
    nest.each_row(begin, end, [&](int64_t row, const auto& at) {
      auto* to = out + row * size;
      if (x_stride == 0) apply<F>(to, size, Repeated<T>{x[at[0]]}, y + at[1]);
      else if (y_stride == 0) apply<F>(to, size, x + at[0], Repeated<T>{y[at[1]]});
      else apply<F>(to, size, x + at[0], y + at[1]);
    });
  });
}

template <class F, class T, class Out>
Status compute_binary(Launch& launch) {
  // Copies: the launch may give the operand that they belong to away as the result.
  const auto x_shape = launch.input(0).shape(), y_shape = launch.input(1).shape();
  const auto* x = launch.input(0).data<T>();
  const auto* y = launch.input(1).data<T>();
  auto shape = Result<Shape>(x_shape);
  if (x_shape.is_scalar()) shape = y_shape;
  else if (!y_shape.is_scalar() && x_shape != y_shape) shape = broadcast(x_shape, y_shape);
  if (!shape) return shape.status();
  auto out = launch.reuse_or_allocate({0, 1}, dtype_of<Out>(), *shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<Out>();
  auto each = [&](const auto& body) { parallel_ranges(out->elements(), 1, body); };
  if (x_shape == y_shape)
    each([&](int64_t i, int64_t end) { apply<F>(result + i, end - i, x + i, y + i); });
  else if (y_shape.is_scalar())
    each([&, y = *y](int64_t i, int64_t end) {
      apply<F>(result + i, end - i, x + i, Repeated<T>{y});
    });
  else if (x_shape.is_scalar())
    each([&, x = *x](int64_t i, int64_t end) {
      apply<F>(result + i, end - i, Repeated<T>{x}, y + i);
    });
  else apply_broadcast<F>(result, x, y, broadcast_nest(x_shape, y_shape, *shape));
  launch.set(0, *std::move(out));
  return {};
}

/// As compute_binary, for an operation without broadcasting.
template <class F, class T>
Status compute_pairwise(Launch& launch) {
  const auto &x = launch.input(0).shape(), &y = launch.input(1).shape();
  if (x == y) return compute_binary<F, T, T>(launch);
  return invalid_argument(
      "both operands must have one shape, but are " + x.to_string() + " and " + y.to_string());
}

/// The maker of an element-wise kernel for those types of attribute T; F is a lambda that captures
/// nothing.
template <class Allowed, class F>
KernelCatalog::Make unary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = compute_unary<F, T, T>};
    });
  };
}

/// As unary(), with two operands that are broadcast together.
template <class Allowed, class F>
KernelCatalog::Make binary(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = compute_binary<F, T, T>};
    });
  };
}

/// As binary(), with two operands of one shape.
template <class Allowed, class F>
KernelCatalog::Make pairwise(F) {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_pairwise<F, decltype(zero)>};
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
