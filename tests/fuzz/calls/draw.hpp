#pragma once

#include <cstdint>
#include <random>

namespace troupe::fuzz {

/// Random choices that a seed determines, on every machine.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  /// From 0 to `count` - 1.
  size_t below(size_t count) { return static_cast<size_t>(random_() % count); }
  /// From `first` to `last`.
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(below(static_cast<size_t>(last - first + 1)));
  }
  bool one_in(size_t count) { return below(count) == 0; }
  uint64_t bits() { return random_(); }

  template <class List>
  const auto& pick(const List& list) {
    return *(std::begin(list) + static_cast<int64_t>(below(std::size(list))));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace troupe::fuzz
