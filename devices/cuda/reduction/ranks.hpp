#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// The greater the element, the less its key; that of NaN is the greatest, as on CPUs.
template <class A>
TROUPE_BOTH inline auto rank_key(A x) {
  if constexpr (sizeof(A) == 8) {
    constexpr auto sign = uint64_t{1} << 63;
    if constexpr (!is_floating<A>) {
      return ~(static_cast<uint64_t>(x) ^ (A(-1) < A(0) ? sign : 0));
    } else {
      if (x != x) return ~uint64_t{0};
      auto bits = bits_as<uint64_t>(x + A(0));  // the sum of -0 and 0 is 0
      return bits & sign ? bits : ~bits & ~sign;
    }
  } else {
    constexpr auto sign = uint32_t{1} << 31;
    if constexpr (!is_floating<A>) {
      return ~(static_cast<uint32_t>(x) ^ (A(-1) < A(0) ? sign : 0));
    } else {
      if (x != x) return ~uint32_t{0};
      auto bits = bits_as<uint32_t>(x + A(0));
      return bits & sign ? bits : ~bits & ~sign;
    }
  }
}

/// An element of a row by its key and its place, an int32: elements of equal keys are in the order
/// of their places.
struct ShortRanked {
  uint64_t bits;

  TROUPE_BOTH static ShortRanked of(uint32_t key, int64_t place) {
    return {uint64_t{key} << 32 | static_cast<uint64_t>(place)};
  }
  /// Behind all of a row.
  TROUPE_BOTH static ShortRanked last() { return {~uint64_t{0}}; }
  TROUPE_BOTH bool is_before(const ShortRanked& other) const { return bits < other.bits; }
  TROUPE_BOTH int32_t place() const { return static_cast<int32_t>(bits); }
};
struct WideRanked {
  uint64_t key;
  int64_t at;

  TROUPE_BOTH static WideRanked of(uint64_t key, int64_t place) { return {key, place}; }
  TROUPE_BOTH static WideRanked last() { return {~uint64_t{0}, 0x7fffffffffffffff}; }
  TROUPE_BOTH bool is_before(const WideRanked& other) const {
    return key != other.key ? key < other.key : at < other.at;
  }
  TROUPE_BOTH int32_t place() const { return static_cast<int32_t>(at); }
};

/// The comparisons of a bitonic sort (K. E. Batcher, Sorting networks and their applications, 1968)
/// of rows of a power of 2 elements: in each step of a stage of `size`, pairs of elements that lie
/// `distance` apart are ordered.
struct BitonicStep {
  int64_t size, distance;

  /// The first element of pair `i`, of half as many pairs as there are elements.
  TROUPE_BOTH int64_t first_of(int64_t i) const {
    return i / distance * 2 * distance + i % distance;
  }
  TROUPE_BOTH bool is_ascending(int64_t element) const { return (element & size) == 0; }

  /// `element`: the place in the row of the first one.
  template <class Ranked>
  TROUPE_BOTH void order(Ranked& first, Ranked& second, int64_t element) const {
    if (second.is_before(first) != is_ascending(element)) return;
    auto kept = first;
    first = second;
    second = kept;
  }
};

/// The elements that a block sorts by itself.
constexpr int64_t sorted_chunk = 1024;

}  // namespace troupe::cuda
