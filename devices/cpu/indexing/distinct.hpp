#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

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

/// Of a text itself.
inline const std::string& distinct_key(const std::string& value) { return value; }

template <class T>
DistinctKey<T> distinct_key(const T& value) {
  if constexpr (is_complex<T>) return {distinct_bits(value.real()), distinct_bits(value.imag())};
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

/// Numbers distinct keys from 0 on. It knows their hashes, and grows with them; the keys are kept
/// by who asks.
class DistinctTable {
 public:
  int64_t size() const { return size_; }

  /// Says that the hash will be looked for soon.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  /// The number of that hash for which is_equal(number) is true, or size().
  template <class IsEqual>
  int64_t find(uint64_t hash, const IsEqual& is_equal) const {
    auto number = slots_[slot_of(hash, is_equal)].number;
    return number == empty ? size_ : number;
  }

  /// The same, which is added if there is none.
  template <class IsEqual>
  int64_t find_or_add(uint64_t hash, const IsEqual& is_equal) {
    auto& slot = slots_[slot_of(hash, is_equal)];
    if (slot.number != empty) return slot.number;
    slot = {hash, size_};
    if (2 * ++size_ > static_cast<int64_t>(slots_.size())) grow();
    return size_ - 1;
  }

 private:
  static constexpr int64_t empty = -1;
  struct Slot {
    uint64_t hash = 0;
    int64_t number = empty;
  };

  template <class IsEqual>
  size_t slot_of(uint64_t hash, const IsEqual& is_equal) const {
    auto slot = hash & (slots_.size() - 1);
    while (slots_[slot].number != empty &&
           !(slots_[slot].hash == hash && is_equal(slots_[slot].number)))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const auto& each : old)
      if (each.number != empty) slots_[slot_of(each.hash, [](int64_t) { return false; })] = each;
  }

  int64_t size_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
};

}  // namespace troupe::cpu
