#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

/// What two elements of a dtype share if, and only if, they are equal: as wide for all numbers, so
/// that a set of them is compiled once. (NaN has one too, see equals_nothing.)
template <class T>
using DistinctKey =
    std::conditional_t<std::is_same_v<T, std::string>, std::string, std::array<uint64_t, 2>>;

/// The bits of a real number; those of 0 for -0.
template <class T>
uint64_t distinct_bits(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<uint64_t>(static_cast<double>(value) + 0.0);
  else return static_cast<uint64_t>(value);
}

template <class T>
DistinctKey<T> distinct_key(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) return value;
  else if constexpr (is_complex<T>)
    return {distinct_bits(value.real()), distinct_bits(value.imag())};
  else return {distinct_bits(promote(value)), 0};
}

/// True for NaN, which is not even equal to itself.
template <class T>
bool equals_nothing(const T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) return false;
  else return !(promote(value) == promote(value));
}

struct DistinctHash {
  size_t operator()(const std::string& key) const { return std::hash<std::string>()(key); }
  size_t operator()(const std::array<uint64_t, 2>& key) const {
    // Neighbours end up far apart, also where a table keeps only the low bits.
    auto mixed = (key[0] ^ std::rotl(key[1], 32)) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
  }
};

}  // namespace troupe::cpu
