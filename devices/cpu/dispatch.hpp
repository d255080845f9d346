#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu {

/// The element types that a kernel is compiled for.
template <class... Ts>
struct Types {};

template <class... A, class... B>
constexpr Types<A..., B...> operator+(Types<A...>, Types<B...>) {
  return {};
}

using Floating = Types<float16, bfloat16, float, double>;
using Integral = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using Complex = Types<complex64, complex128>;
using Differentiable = decltype(Floating{} + Complex{});
using Real = decltype(Floating{} + Integral{});
using Numeric = decltype(Real{} + Complex{});
using AllPlain = decltype(Numeric{} + Types<bool>{});
using Indices = Types<int32_t, int64_t>;

/// Calls `f` with a value-initialized element of the dtype's C++ type, if the types have it.
template <class... Ts, class F>
void for_dtype(Types<Ts...>, DType dtype, F f) {
  ((dtype == dtype_of<Ts>() && (f(Ts{}), true)) || ...);
}

inline Status no_kernel(DType dtype) {
  return unimplemented(std::string("there is no CPU kernel for ") + to_string(dtype));
}

/// Of handles and variants.
inline Status not_copied(DType dtype) {
  return unimplemented(
      std::string("elements of ") + to_string(dtype) + " tensors cannot be copied");
}

/// Calls `make` as for_dtype() and returns its kernel; Unimplemented where the types lack the
/// dtype.
template <class... Ts, class F>
Result<Kernel> dispatch(Types<Ts...> types, DType dtype, F make) {
  Result<Kernel> kernel = no_kernel(dtype);
  for_dtype(types, dtype, [&](auto zero) { kernel = make(zero); });
  return kernel;
}

/// What `pick` returns for an element of the dtype's C++ type: a function, so that all around it is
/// compiled once. Null if the types lack the dtype.
template <class... Ts, class F>
auto choose(Types<Ts...> types, DType dtype, F pick) {
  std::common_type_t<decltype(pick(Ts{}))...> picked = nullptr;
  for_dtype(types, dtype, [&](auto zero) { picked = pick(zero); });
  return picked;
}

/// An element of which only the size matters: kernels that only copy elements are compiled once per
/// size instead of once per dtype.
template <class Bits>
struct [[gnu::may_alias]] Cell {
  Bits bits;
};

/// As dispatch(), but calls `make` with a Cell of the dtype's size, or with a string.
template <class F>
Result<Kernel> dispatch_cells(DType dtype, F make) {
  if (dtype == DType::string) return make(std::string());
  if (is_opaque(dtype)) return not_copied(dtype);
  switch (size_of(dtype)) {
    case 1: return make(Cell<uint8_t>());
    case 2: return make(Cell<uint16_t>());
    case 4: return make(Cell<uint32_t>());
    case 8: return make(Cell<uint64_t>());
    default: return make(Cell<std::array<uint64_t, 2>>());
  }
}

/// As choose(), but calls `pick` as dispatch_cells() does.
template <class F>
auto choose_cell(DType dtype, F pick) {
  if (dtype == DType::string) return pick(std::string());
  if (is_opaque(dtype)) return decltype(pick(std::string()))(nullptr);
  switch (size_of(dtype)) {
    case 1: return pick(Cell<uint8_t>());
    case 2: return pick(Cell<uint16_t>());
    case 4: return pick(Cell<uint32_t>());
    case 8: return pick(Cell<uint64_t>());
    default: return pick(Cell<std::array<uint64_t, 2>>());
  }
}

/// The elements as those that dispatch_cells() chose.
template <class C>
const C* cells(const Tensor& tensor) {
  return static_cast<const C*>(tensor.raw());
}
template <class C>
C* mutable_cells(Tensor& tensor) {
  return static_cast<C*>(tensor.mutable_raw());
}

}  // namespace troupe::cpu
