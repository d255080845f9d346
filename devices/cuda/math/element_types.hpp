#pragma once

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/math/complex.hpp"

namespace troupe::cuda {

/// Types of elements.
template <class... Ts>
struct Elements {};
using FloatingElements = Elements<float, double, Half, Brain>;
using NumberElements = Elements<float, double, Half, Brain, int32_t, int64_t>;
using RealElements = Elements<
    float, double, Half, Brain, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
    uint64_t>;
/// Numbers without an order, too.
using NumericElements =
    Elements<float, double, Half, Brain, int32_t, int64_t, Complex64, Complex128>;

template <class T>
constexpr Element element_of_type{};
template <>
inline constexpr Element element_of_type<float> = Element::float32;
template <>
inline constexpr Element element_of_type<double> = Element::float64;
template <>
inline constexpr Element element_of_type<Half> = Element::float16;
template <>
inline constexpr Element element_of_type<Brain> = Element::bfloat16;
template <>
inline constexpr Element element_of_type<int32_t> = Element::int32;
template <>
inline constexpr Element element_of_type<int64_t> = Element::int64;
template <>
inline constexpr Element element_of_type<int8_t> = Element::int8;
template <>
inline constexpr Element element_of_type<int16_t> = Element::int16;
template <>
inline constexpr Element element_of_type<uint8_t> = Element::uint8;
template <>
inline constexpr Element element_of_type<uint16_t> = Element::uint16;
template <>
inline constexpr Element element_of_type<uint32_t> = Element::uint32;
template <>
inline constexpr Element element_of_type<uint64_t> = Element::uint64;
template <>
inline constexpr Element element_of_type<bool> = Element::boolean;
template <>
inline constexpr Element element_of_type<Complex64> = Element::complex64;
template <>
inline constexpr Element element_of_type<Complex128> = Element::complex128;

/// The function that find(zero of the element's type) returns; null where it is none of the types.
template <class Function, class... Ts, class Find>
Function choose(Elements<Ts...>, Element element, const Find& find) {
  Function chosen = nullptr;
  ((element == element_of_type<Ts> ? void(chosen = find(Ts())) : void()), ...);
  return chosen;
}

}  // namespace troupe::cuda
